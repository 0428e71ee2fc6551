import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { AttemptService } from '../attempts/attempt-service.ts';
import type { CourseRuntime, UnitOpening, UnitStart } from '../course-runtime.ts';
import { launchAddress } from '../sessions/launch-address.ts';
import { agentOf, learnerOf } from '../sessions/learner-agent.ts';
import { hashSecret, newSecret, registrationOfAttempt, type Session } from '../sessions/session.ts';
import { SessionScopes } from '../sessions/session-scopes.ts';
import { deletePreviews, insertSession } from '../sessions/session-store.ts';

const PREVIEWS_KEPT_MS = 48 * 3_600_000;

/** What the runtimes of cmi5 and xAPI work with. */
export interface SessionRuntimeOptions {
  database: Database;
  attempts: AttemptService;
  /** The service's address, without a slash at its end. */
  baseUrl: () => string;
  now: () => number;
}

/** Plays xAPI (Tin Can) courses. */
export function xapiRuntime(options: SessionRuntimeOptions): CourseRuntime {
  return {
    standards: ['XAPI'],
    async openUnit(opening) {
      const secret = newSecret();
      const session = await beginSession(options, opening, secret);
      return startOf(opening, session, secret);
    },
  };
}

async function beginSession(
  { database, attempts, baseUrl, now }: SessionRuntimeOptions,
  { launch, unit }: UnitOpening,
  secret: string,
): Promise<Session> {
  const make = (
    particulars: Pick<Session, 'registrationId' | 'attempt' | 'registration' | 'actor'>,
  ): Session => ({
    ...particulars,
    sessionId: randomUUID(),
    launchId: launch.launchId,
    unitId: unit.id,
    activityId: unit.id,
    mode: 'Normal',
    launchData: {},
    facts: {},
    startedAt: now(),
    activeAt: now(),
    endedAt: null,
  });
  const kept = { fetchHash: null, secretHash: hashSecret(secret) };
  const { registrationId } = launch;
  if (registrationId === null) {
    const actor = agentOf(baseUrl(), launch.learnerId);
    const session = make({ registrationId, attempt: 0, registration: randomUUID(), actor });
    await database.transaction(async (tx) => {
      await deletePreviews(tx, now() - PREVIEWS_KEPT_MS);
      await insertSession(tx, { session, ...kept });
    });
    return session;
  }
  return await attempts.learnAlong(launch, async (tx, { registration, attempt }) => {
    const session = make({
      registrationId,
      attempt: attempt.number,
      registration: registrationOfAttempt(registrationId, attempt.number),
      actor: await learnerOf(tx, baseUrl(), registration),
    });
    await insertSession(tx, { session, ...kept });
    return { results: [], result: session };
  });
}

function startOf({ unit, baseUrl }: UnitOpening, session: Session, secret: string): UnitStart {
  return {
    script: null,
    address: launchAddress(unit.launch, baseUrl, {
      endpoint: `${baseUrl}/xapi/`,
      auth: `Basic ${SessionScopes.credential(session.sessionId, secret)}`,
      actor: JSON.stringify(session.actor),
      registration: session.registration,
      activity_id: session.activityId,
    }),
    ownWindow: false,
    data: null,
  };
}
