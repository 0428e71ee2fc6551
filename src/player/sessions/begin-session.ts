import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import { DAY_MS } from '../../time/units.ts';
import type { AttemptService, AttemptWork } from '../attempts/attempt-service.ts';
import { assertIsNewest } from '../attempts/superseding.ts';
import type { UnitOpening } from '../course-runtime.ts';
import { agentOf, learnerOf } from './learner-agent.ts';
import { hashSecret, newSecret, registrationOfAttempt, type Session, type SessionMode } from './session.ts';
import { countSessions, deletePreviews, insertSession, type StoredSession } from './session-store.ts';

/** Sessions of previews are kept for this time after they began. */
const PREVIEWS_KEPT_MS = 2 * DAY_MS;
/** Maximum sessions per attempt. Each is a row, and no learner opens 2,000 units more than five times each. */
const MAX_SESSIONS = 10_000;

/** The dependencies of a runtime that begins sessions. */
export interface SessionRuntimeOptions {
  database: Database;
  attempts: AttemptService;
  /** The base URL of the service, without a trailing slash. */
  baseUrl: () => string;
  now: () => number;
}

/**
 * Begins a session of a standard without its own rules for this. Its credential is valid immediately.
 * @returns the session and its secret
 */
export async function beginPlainSession(
  { database, attempts, baseUrl, now }: SessionRuntimeOptions,
  { launch, unit, page }: UnitOpening,
  mode: SessionMode,
): Promise<{ session: Session; secret: string }> {
  const secret = newSecret();
  const make = (
    particulars: Pick<Session, 'registrationId' | 'attempt' | 'registration' | 'actor'>,
  ): Session => ({
    ...particulars,
    sessionId: randomUUID(),
    launchId: launch.launchId,
    unitId: unit.id,
    activityId: unit.id,
    mode,
    launchData: {},
    facts: {},
    startedAt: now(),
    activeAt: now(),
    endedAt: null,
    page: launch.registrationId === null ? null : page,
  });
  const kept = { fetchHash: null, secretHash: hashSecret(secret) };
  const { registrationId } = launch;
  if (registrationId === null) {
    const actor = agentOf(baseUrl(), launch.learnerId);
    const session = make({ registrationId, attempt: 0, registration: randomUUID(), actor });
    await insertPreview(database, { session, ...kept }, now());
    return { session, secret };
  }
  const begin: AttemptWork<Session> = async (tx, { registration, attempt }) => {
    assertIsNewest(attempt, page);
    const session = make({
      registrationId,
      attempt: attempt.number,
      registration: registrationOfAttempt(registrationId, attempt.number),
      actor: await learnerOf(tx, baseUrl(), registration),
    });
    await insertNewSession(tx, { session, ...kept });
    return { results: [], result: session };
  };
  return { session: await attempts.withLockedAttempt(launch, begin, { dataOf: null }), secret };
}

/** Inserts the session of a preview, and deletes old ones. */
export async function insertPreview(database: Database, stored: StoredSession, now: number): Promise<void> {
  await database.transaction(async (tx) => {
    await deletePreviews(tx, now - PREVIEWS_KEPT_MS);
    await insertNewSession(tx, stored);
  });
}

/**
 * Inserts the session of an opened unit, unless its attempt, or the launch of its preview, already has too many.
 * @throws {ProblemError} `limit-reached`
 */
export async function insertNewSession(tx: Transaction, stored: StoredSession): Promise<void> {
  if ((await countSessions(tx, stored.session, MAX_SESSIONS)) >= MAX_SESSIONS) {
    throw new ProblemError(
      'limit-reached',
      `The units of this attempt were opened ${MAX_SESSIONS} times, the maximum. Reset the registration to begin a new attempt`,
    );
  }
  await insertSession(tx, stored);
}
