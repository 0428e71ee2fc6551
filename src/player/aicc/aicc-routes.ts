import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { LaunchUnit } from '../../course-packages/package-description.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { Attempt, UnitState } from '../attempts/attempt.ts';
import type { AttemptService, AttemptWork } from '../attempts/attempt-service.ts';
import { assertStillRecords } from '../attempts/superseding.ts';
import type { UnitResult } from '../attempts/unit-result.ts';
import { addCrossOriginHeaders } from '../content-origin/cross-origin-headers.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import type { PlayerCourses } from '../player-courses.ts';
import { withoutLowerScore } from '../scorm/another-pass.ts';
import type { Cmi } from '../scorm/cmi.ts';
import { readScorm12 } from '../scorm/scorm12-status.ts';
import type { Session } from '../sessions/session.ts';
import { readSessionOfSecret } from '../sessions/session-of-secret.ts';
import { readSession, updateSession } from '../sessions/session-store.ts';
import { nextSessionTimes, type SessionTimes } from '../sessions/session-times.ts';
import {
  entryOf,
  parametersOf,
  readAiccUnit,
  setsStatus,
  withInteractions,
  withoutSessionTime,
  withParameters,
  withRows,
} from './aicc-data.ts';
import { type HacpRequest, hacpResponse, readHacp } from './hacp-message.ts';

/** The path to which AICC units send their messages, below the launch's token. */
export const AICC_PATH = '/aicc';

const SESSION = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{1,100})$/i;
/** Commands that change the data, with the change that each makes. */
const COMMANDS: Readonly<Record<string, (cmi: Cmi, data: string) => Cmi>> = {
  putparam: withParameters,
  putinteractions: withInteractions,
  putobjectives: (cmi, data) => withRows(cmi, 'objective_records', data),
  putcomments: (cmi, data) => withRows(cmi, 'comment_records', data),
  putpath: (cmi, data) => withRows(cmi, 'path_records', data),
  putperformance: (cmi, data) => withRows(cmi, 'performance_records', data),
  exitau: (cmi) => cmi,
};

/** How many times, and at what interval, an exit looks for the status of an earlier message that has not arrived. */
const CHECKS = 40;
const CHECK_EVERY_MS = 250;

/** The dependencies of the AICC routes. */
export interface AiccRoutesOptions {
  database: Database;
  attempts: AttemptService;
  courses: PlayerCourses;
  now: () => number;
}

/**
 * Serves AICC units over HACP. Responses of the protocol have status 200, as it requires; their errors are in the text.
 * It has no error for what the service itself refuses, such as too many requests: those responses are problems.
 */
export function aiccRoutes(scope: FastifyInstance, options: AiccRoutesOptions): void {
  scope.post(AICC_PATH, { onSend: addCrossOriginHeaders }, async ({ launch, body, isAhead }, reply) => {
    const text = Buffer.isBuffer(body) ? body.toString('latin1') : '';
    reply.type('text/plain; charset=utf-8');
    return await respond(options, launch, { ...readHacp(text), isAhead });
  });
}

async function respond(
  options: AiccRoutesOptions,
  launch: PlayerLaunch,
  request: HacpRequest & { isAhead: boolean },
): Promise<string> {
  const { database, courses } = options;
  const [, id = '', secret = ''] = SESSION.exec(request.sessionId) ?? [];
  const session = await readSessionOfSecret(database.reader, launch.launchId, {
    sessionId: id.toLowerCase(),
    secret,
  });
  if (session === null) return hacpResponse('invalidSession');
  const course = await courses.read(database.reader, launch.courseId, launch.versionId);
  const unit = course.units.find(({ id }) => id === session.unitId);
  if (unit === undefined) return hacpResponse('invalidSession');
  if (request.command === 'getparam') {
    const values = await parameters(options, launch, session, unit);
    await recordReading(options, launch, session, unit);
    return values;
  }
  const change = Object.hasOwn(COMMANDS, request.command) ? COMMANDS[request.command] : undefined;
  if (change === undefined) return hacpResponse('invalidCommand');
  if (session.registrationId === null || session.mode !== 'Normal') return hacpResponse('successful');
  if (request.isAhead && request.command === 'exitau')
    await awaitStatus(options.attempts, session.registrationId, unit);
  try {
    await record(options, launch, session, { unit, change, request });
    return hacpResponse('successful');
  } catch (error) {
    // A newer window has taken over, or a new attempt has begun.
    if (error instanceof ProblemError && error.code === 'forbidden') return hacpResponse('invalidSession');
    throw error;
  }
}

/**
 * Waits while the exit would complete the unit because it has no status, which no later message could undo. The message
 * with the status may be slower, or be handled by another instance.
 */
async function awaitStatus(
  attempts: AttemptService,
  registrationId: string,
  unit: LaunchUnit,
): Promise<void> {
  for (let check = 0; check < CHECKS; check++) {
    const current = await storedUnit(attempts, registrationId, unit);
    const { cmi } = readAiccUnit(current);
    const [before, after] = [false, true].map((terminated) => readScorm12(cmi, unit, terminated).status);
    if (before?.completion === after?.completion) return;
    await pause(CHECK_EVERY_MS);
  }
}

async function storedUnit(
  attempts: AttemptService,
  registrationId: string,
  { id }: LaunchUnit,
): Promise<UnitState | null> {
  return (await attempts.stored.unitsOf(registrationId, id)).find(({ unitId }) => unitId === id) ?? null;
}

async function parameters(
  { attempts }: AiccRoutesOptions,
  { learnerId }: PlayerLaunch,
  session: Session,
  unit: LaunchUnit,
): Promise<string> {
  const { registrationId } = session;
  const current = registrationId === null ? null : await storedUnit(attempts, registrationId, unit);
  return hacpResponse('successful', parametersOf({ unit, learnerId, current, session }));
}

/** Records that the unit was opened and is still open, unless a newer window has taken over. */
async function recordReading(
  { attempts, now }: AiccRoutesOptions,
  launch: PlayerLaunch,
  { sessionId, registrationId, mode }: Session,
  unit: LaunchUnit,
): Promise<void> {
  if (registrationId === null || mode !== 'Normal') return;
  const work: AttemptWork<undefined> = async (tx, { attempt }) => {
    const session = await useSession(tx, sessionId, { attempt, at: now() });
    const result: UnitResult = {
      unitId: unit.id,
      position: null,
      apply(current) {
        const { cmi, terminated, statusOf, hasSent } = continuedUnit(current, sessionId);
        const times = sessionTimesOf(session, current, null);
        const entry = hasSent ? {} : { entry: entryOf(current, sessionId) };
        return {
          data: { cmi, terminated, statusOf, ...times, ...entry },
          // Reading judges nothing: what was recorded stays.
          status: { completion: 'Incomplete', success: 'UNKNOWN', score: null },
          visitMs: times.earlierMs + times.sessionMs,
        };
      },
    };
    return { results: [result], result: undefined };
  };
  try {
    await attempts.recordFromUnit(launch, work, { dataOf: unit.id });
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'forbidden')) throw error;
  }
}

/**
 * Marks the session as active now, and returns it.
 * @throws {ProblemError} `forbidden` if it records nothing any longer
 */
async function useSession(
  tx: Transaction,
  sessionId: string,
  { attempt, at, isExit = false }: { attempt: Attempt; at: number; isExit?: boolean },
): Promise<Session> {
  const session = (await readSession(tx, sessionId))?.session;
  if (session === undefined) throw new ProblemError('forbidden', 'The session was deleted');
  assertStillRecords(session, attempt);
  const used = { ...session, activeAt: at, endedAt: isExit ? at : session.endedAt };
  await updateSession(tx, used);
  return used;
}

/** What a message of a session continues: the time and the end of an earlier session are not its own. */
function continuedUnit(current: UnitState | null, sessionId: string) {
  const { cmi, terminated, statusOf, entry, ...latest } = readAiccUnit(current);
  const isOwn = latest.sessionId === sessionId;
  return {
    cmi: isOwn ? cmi : withoutSessionTime(cmi),
    terminated: terminated && isOwn,
    statusOf,
    /** Whether this session has sent something, and not only read. */
    hasSent: isOwn && entry === undefined,
  };
}

/** The times of a unit after a message of a session. @param reportedMs reported by the session; null for none */
function sessionTimesOf(
  { sessionId, startedAt, activeAt }: Session,
  current: UnitState | null,
  reportedMs: number | null,
): SessionTimes {
  const elapsedMs = activeAt - startedAt;
  const reported = { sessionId, reportedMs, elapsedMs };
  return nextSessionTimes(readAiccUnit(current), current?.durationMs ?? 0, reported);
}

async function record(
  { attempts, now }: AiccRoutesOptions,
  launch: PlayerLaunch,
  { sessionId }: Session,
  {
    unit,
    change,
    request,
  }: {
    unit: LaunchUnit;
    change: (cmi: Cmi, data: string) => Cmi;
    request: HacpRequest;
  },
): Promise<void> {
  const hasStatus = request.command === 'putparam' && setsStatus(request.data);
  const work: AttemptWork<undefined> = async (tx, { attempt }) => {
    const isExit = request.command === 'exitau';
    const session = await useSession(tx, sessionId, { attempt, at: now(), isExit });
    const result: UnitResult = {
      unitId: unit.id,
      position: null,
      apply(current) {
        const before = continuedUnit(current, sessionId);
        const cmi = change(before.cmi, request.data);
        const terminated = isExit || before.terminated;
        const { status, sessionMs: reportedMs } = readScorm12(cmi, unit, terminated);
        const times = sessionTimesOf(session, current, reportedMs);
        // A session that has only read has reported no status yet.
        const last = before.hasSent ? readScorm12(before.cmi, unit, before.terminated).status : null;
        return {
          data: { cmi, terminated, statusOf: hasStatus ? sessionId : before.statusOf, ...times },
          status: withoutLowerScore(status, { current, last }),
          visitMs: times.earlierMs + times.sessionMs,
        };
      },
    };
    return { results: [result], result: undefined };
  };
  await attempts.recordFromUnit(launch, work, { dataOf: unit.id });
}
