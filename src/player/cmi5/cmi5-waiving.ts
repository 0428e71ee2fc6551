import { randomUUID } from 'node:crypto';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { awaitsLanguage } from '../../content/registrations/equivalent-courses.ts';
import type { Registration } from '../../content/registrations/registration.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { type InputError, invalidInput, ProblemError } from '../../problems/problem.ts';
import type { AttemptInProgress, AttemptService } from '../attempts/attempt-service.ts';
import type { Lrs } from '../lrs/lrs.ts';
import type { PlayerCourses } from '../player-courses.ts';
import { activityIdOf, learnerOf } from '../sessions/learner-agent.ts';
import { registrationOfAttempt, type Session } from '../sessions/session.ts';
import type { SessionScopes } from '../sessions/session-scopes.ts';
import { readEarlierSessions } from '../sessions/session-store.ts';
import { factsOf, isSatisfied, NEW_SESSION } from './cmi5-facts.ts';
import { consequences } from './cmi5-progress.ts';
import { waived } from './cmi5-statements.ts';

/** The reason for a waiver if the request gives none (cmi5 section 9.5.5.2). */
export const DEFAULT_REASON = 'Administrative';

const NO_SUCH_UNIT: InputError = { pointer: '/unit_id', detail: 'the course has no such unit' };

/** The dependencies of waiving. */
export interface WaivingOptions {
  attempts: AttemptService;
  courses: PlayerCourses;
  lrs: Lrs;
  scopes: SessionScopes;
  /** The service's address, without a trailing slash. */
  baseUrl: () => string;
  now: () => number;
}

/** Which unit of a registration is waived, and why. */
export interface Waiver {
  registrationId: string;
  unitId: string;
  reason: string;
  /** Who waives the unit. */
  by: Actor;
  /** The `user` of the event, which is the same person. */
  user: string;
}

/**
 * Waives a unit of a registration: the learner need not do it. The unit counts as completed and passed. In the same
 * transaction, the service states `waived`, and `satisfied` for each block and course that this completes.
 * @throws {ProblemError} `not-found`; `conflict` for a course of another standard, a registration whose language is not
 *   chosen, or a unit that is already satisfied;
 *   `invalid-request` for a unit that is not in the course
 */
export async function waiveUnit(
  { attempts, courses, lrs, scopes, baseUrl, now }: WaivingOptions,
  { registrationId, unitId, reason, by, user }: Waiver,
): Promise<void> {
  await attempts.recordOutsideLaunch(registrationId, user, async (tx, current) => {
    const { registration } = current;
    if (await awaitsLanguage(tx, registration)) {
      throw new ProblemError(
        'conflict',
        'The registration has no language yet, so its course may change: launch it with a language first',
      );
    }
    const course = await courses.read(tx, registration.courseId, registration.versionId);
    if (course.learningStandard !== 'CMI5') {
      throw new ProblemError('conflict', 'Only units of cmi5 courses can be waived');
    }
    const unit = course.units.find(({ id }) => id === unitId);
    if (unit === undefined) throw invalidInput([NO_SUCH_UNIT]);
    const facts = factsOf(current.units.find((each) => each.unitId === unitId) ?? null);
    if (isSatisfied(unit, facts)) throw new ProblemError('conflict', 'The unit is already satisfied');
    const at = now();
    const session = await sessionOf(tx, current, { unitId, at, baseUrl: baseUrl() });
    const changed = new Map([[unitId, { ...facts, waived: true }]]);
    const { results, statements } = consequences({
      course,
      current,
      session,
      changed,
      now: at,
      baseUrl: baseUrl(),
    });
    await lrs.statements.storeIn(tx, scopes.ownScope(session), [
      waived({ session, now: at }, unit, reason),
      ...statements,
    ]);
    const { learnerId: name } = registration;
    const details = { unit_id: unitId, reason };
    await recordAudit(tx, { by, action: 'UNIT_WAIVED', id: registrationId, name, details }, at);
    return results;
  });
}

/** The error of a unit that is not in the course of the registration, even if the rest of the waiver is invalid. */
export async function unitErrors(
  { courses, reader }: { courses: PlayerCourses; reader: Pick<Reader, 'query'> },
  { courseId, versionId }: Registration,
  unitId: string,
): Promise<InputError[]> {
  const { units } = await courses.read(reader, courseId, versionId);
  return units.some(({ id }) => id === unitId) ? [] : [NO_SUCH_UNIT];
}

/** A waiver has its own session, which is never opened (cmi5 section 9.6.3.1). */
async function sessionOf(
  tx: Transaction,
  { registration, attempt }: AttemptInProgress,
  { unitId, at, baseUrl }: { unitId: string; at: number; baseUrl: string },
): Promise<Session> {
  const { registrationId, courseId } = registration;
  const earlier = await readEarlierSessions(tx, registrationId, attempt.number, unitId);
  return {
    sessionId: randomUUID(),
    launchId: '',
    registrationId,
    attempt: attempt.number,
    unitId,
    registration: registrationOfAttempt(registrationId, attempt.number),
    actor: await learnerOf(tx, baseUrl, registration),
    activityId:
      earlier.find((each) => each.unitId === unitId)?.activityId ?? activityIdOf(baseUrl, courseId, unitId),
    mode: 'Normal',
    launchData: {},
    facts: NEW_SESSION,
    startedAt: at,
    activeAt: at,
    endedAt: at,
    page: null,
  };
}
