import { randomUUID } from 'node:crypto';
import type { CMI5_PARAMETERS } from '../../course-packages/standards/cmi5-parameters.ts';
import type { Transaction } from '../../database/database.ts';
import type { AttemptInProgress } from '../attempts/attempt-service.ts';
import { assertIsNewest, isOfOlderPage } from '../attempts/superseding.ts';
import { addressOfTarget, type CourseRuntime, type UnitOpening, type UnitStart } from '../course-runtime.ts';
import type { Lrs } from '../lrs/lrs.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';
import { insertNewSession, insertPreview, type SessionRuntimeOptions } from '../sessions/begin-session.ts';
import { launchAddress } from '../sessions/launch-address.ts';
import { activityIdOf, agentOf, learnerOf } from '../sessions/learner-agent.ts';
import {
  hashSecret,
  lookingMode,
  newSecret,
  registrationOfAttempt,
  type Session,
} from '../sessions/session.ts';
import type { SessionScopes } from '../sessions/session-scopes.ts';
import { readEarlierSessions, readLastOpened, updateSession } from '../sessions/session-store.ts';
import { factsOf, NEW_SESSION, type SessionFacts, sessionFactsOf, type UnitFacts } from './cmi5-facts.ts';
import { consequences, resultOf, withEnded } from './cmi5-progress.ts';
import { cmi5Routes } from './cmi5-routes.ts';
import { packageDataOf } from './cmi5-rules.ts';
import { abandoned, launched } from './cmi5-statements.ts';
import { SESSION_ID } from './cmi5-vocabulary.ts';

/** The dependencies of the runtime. */
export interface Cmi5RuntimeOptions extends SessionRuntimeOptions {
  lrs: Lrs;
  scopes: SessionScopes;
}

/** Plays cmi5 courses. */
export function cmi5Runtime(options: Cmi5RuntimeOptions): CourseRuntime {
  return {
    standards: ['CMI5'],
    async openUnit(opening) {
      const fetchSecret = newSecret();
      const session = await beginSession(options, opening, fetchSecret);
      return startOf(opening, session, fetchSecret);
    },
    // A waived unit is updated, but not opened.
    lastUnit: (registrationId, attempt) => readLastOpened(options.database.reader, registrationId, attempt),
    routes: (scope) => cmi5Routes(scope, options),
  };
}

async function beginSession(
  options: Cmi5RuntimeOptions,
  opening: UnitOpening,
  fetchSecret: string,
): Promise<Session> {
  const { database, attempts, baseUrl, now } = options;
  const { launch } = opening;
  const kept = { fetchHash: hashSecret(fetchSecret), secretHash: null };
  if (launch.registrationId === null) {
    const session = newSession(options, opening, {
      registrationId: null,
      attempt: 0,
      registration: randomUUID(),
      actor: agentOf(baseUrl(), launch.learnerId),
      earlier: [],
    });
    await insertPreview(database, { session, ...kept }, now());
    return session;
  }
  const { registrationId } = launch;
  const begin = async (tx: Transaction, current: AttemptInProgress) => {
    assertIsNewest(current.attempt, opening.page);
    const { number } = current.attempt;
    const earlier = await readEarlierSessions(tx, registrationId, number, opening.unit.id);
    const session = newSession(options, opening, {
      registrationId,
      attempt: number,
      registration: registrationOfAttempt(registrationId, number),
      actor: await learnerOf(tx, baseUrl(), current.registration),
      earlier,
    });
    await insertNewSession(tx, { session, ...kept });
    // The statement `launched` contains the launch parameters.
    await attempts.countStatements(tx, current, Buffer.byteLength(opening.unit.launchData ?? ''));
    const results = await recordBeginning(options, opening, { tx, current, session, earlier });
    // The record shows when a unit was first opened, which may be after it was waived.
    return { results, changesRecord: session.mode === 'Normal', result: session };
  };
  // Results of abandoned sessions, which belong to earlier launches, are recorded even if this launch records none.
  return await attempts.withLockedAttempt(launch, begin);
}

function newSession(
  { baseUrl, now }: Cmi5RuntimeOptions,
  opening: UnitOpening,
  particulars: Pick<Session, 'registrationId' | 'attempt' | 'registration' | 'actor'> & {
    earlier: readonly Session[];
  },
): Session {
  const { launch, unit, page } = opening;
  const { earlier, ...given } = particulars;
  const sessionId = randomUUID();
  const mode = modeOf(opening);
  return {
    ...given,
    sessionId,
    launchId: launch.launchId,
    unitId: unit.id,
    // An attempt keeps its first activity id, because state is stored under it, even if the service's address changes.
    activityId:
      earlier.find(({ unitId }) => unitId === unit.id)?.activityId ??
      activityIdOf(baseUrl(), launch.courseId, unit.id),
    mode,
    launchData: launchDataOf(opening, sessionId, mode),
    facts: NEW_SESSION,
    startedAt: now(),
    activeAt: now(),
    endedAt: null,
    page: launch.registrationId === null ? null : page,
  };
}

/** A satisfied unit opens for review once it is final: passed, and also completed unless `moveOn` is `Passed`. */
function modeOf({ launch, unit, current }: UnitOpening): Session['mode'] {
  if (launch.mode !== 'normal') return lookingMode(launch.mode);
  const facts = factsOf(current);
  const moveOn = unit.cmi5?.moveOn ?? 'NotApplicable';
  const isFinal = facts.passed && (facts.completed || moveOn === 'Passed');
  return current?.completion === 'Completed' && isFinal ? 'Review' : 'Normal';
}

/** Maximum length of the part of the launch data that a session stores although it comes from the package. */
const MAX_STORED_LENGTH = 4_096;

/**
 * `LMS.LaunchData` (cmi5 section 10). The part that comes from the package is added when the data is read. If it is short,
 * it is also stored here, because an instance of an earlier release, which runs during an upgrade, does not add it.
 */
function launchDataOf({ unit, baseUrl }: UnitOpening, sessionId: string, mode: Session['mode']): JsonObject {
  const ofPackage = packageDataOf(unit);
  return {
    ...(JSON.stringify(ofPackage).length <= MAX_STORED_LENGTH ? ofPackage : {}),
    contextTemplate: {
      contextActivities: { grouping: [{ objectType: 'Activity', id: unit.id }] },
      extensions: { [SESSION_ID]: sessionId },
    },
    launchMode: mode,
    launchMethod: unit.cmi5?.launchMethod ?? 'AnyWindow',
    moveOn: unit.cmi5?.moveOn ?? 'NotApplicable',
    ...(unit.masteryScore === null ? {} : { masteryScore: unit.masteryScore }),
    returnURL: `${baseUrl}/cmi5/return`,
  };
}

/** Abandons open sessions. Then records what is already satisfied, and the launch of this session. */
async function recordBeginning(
  { lrs, scopes, baseUrl, now }: Cmi5RuntimeOptions,
  { course, launch, unit, baseUrl: contentUrl }: UnitOpening,
  {
    tx,
    current,
    session,
    earlier,
  }: { tx: Transaction; current: AttemptInProgress; session: Session; earlier: readonly Session[] },
) {
  const at = now();
  const changed = new Map<string, UnitFacts>();
  const factsNow = (unitId: string) =>
    changed.get(unitId) ?? factsOf(current.units.find((each) => each.unitId === unitId) ?? null);
  // Another unit of this page may still be sending its last statements.
  const isOver = (old: Session) =>
    old.unitId === unit.id || old.launchId !== launch.launchId || isOfOlderPage(old, current.attempt);
  for (const old of earlier.filter((each) => isLeftOpen(each) && isOver(each))) {
    const facts = sessionFactsOf(old);
    const progress = withEnded({ session: facts, unit: factsNow(old.unitId) }, old.activeAt - old.startedAt);
    await updateSession(tx, { ...old, facts: { ...facts, abandoned: true }, endedAt: at });
    await lrs.statements.storeIn(tx, scopes.ownScope(old), [abandoned({ session: old, now: at })]);
    if (old.mode === 'Normal') changed.set(old.unitId, progress);
  }
  // The time of an abandoned session counts, even if the session that begins records nothing.
  const ofAbandoned = course.units
    .filter(({ id }) => changed.has(id))
    .map((each) => resultOf(each, factsNow(each.id)));
  changed.set(unit.id, factsNow(unit.id));
  const { results, statements } = consequences({
    course,
    current,
    session,
    changed,
    now: at,
    baseUrl: baseUrl(),
  });
  // Without the token at its beginning, which would give readers of the record access to the content.
  const launchUrl =
    unit.launch.kind === 'external'
      ? unit.launch.url
      : addressOfTarget(unit.launch, new URL(contentUrl).origin);
  await lrs.statements.storeIn(tx, scopes.ownScope(session), [
    ...statements,
    launched({ session, now: at }, unit, launchUrl),
  ]);
  return session.mode === 'Normal' ? results : ofAbandoned;
}

/** Whether a session was opened and has not ended, whether or not it has fetched its credential. */
function isLeftOpen({ facts, endedAt }: Session): boolean {
  const { terminated, abandoned: isAbandoned } = facts as SessionFacts;
  return endedAt === null && !terminated && !isAbandoned;
}

function startOf({ launch, unit, baseUrl }: UnitOpening, session: Session, fetchSecret: string): UnitStart {
  return {
    script: null,
    address: launchAddress<(typeof CMI5_PARAMETERS)[number]>(unit.launch, baseUrl, {
      endpoint: `${baseUrl}/xapi/`,
      fetch: `${baseUrl}/cmi5/fetch/${session.sessionId}/${fetchSecret}`,
      actor: JSON.stringify(session.actor),
      registration: session.registration,
      activityId: session.activityId,
    }),
    data: null,
    isReview: launch.mode !== 'normal' || session.mode === 'Review',
  };
}
