import type { LaunchUnit, MoveOn } from '../../course-packages/package-description.ts';
import type { LearningStatus, UnitState } from '../attempts/attempt.ts';
import type { RequestPlace } from '../content-origin/request-order.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';
import type { Session } from '../sessions/session.ts';

/** The events of a session that the rules of cmi5 depend on. */
export interface SessionFacts extends JsonObject {
  /** Whether the unit has requested the learner's preferences. */
  preferencesRead: boolean;
  initialized: boolean;
  terminated: boolean;
  /** The request that terminated the session; null unless the page sent it while it was being closed. */
  terminatedBy: RequestPlace | null;
  abandoned: boolean;
  /** Whether the unit has sent `passed` or `failed` in this session. */
  judged: boolean;
  /** The longest time in a result of this session. It counts until the session ends. */
  reportedMs: number;
}

/** A unit's progress in an attempt. */
export interface UnitFacts {
  completed: boolean;
  passed: boolean;
  failed: boolean;
  /** Whether the unit was waived: the learner need not do it. */
  waived: boolean;
  /** The score of the latest `passed` or `failed`, 0 to 100; null before the first one. */
  score: number | null;
  /**
   * The total time of the sessions that have ended. Instances of earlier releases add the whole time of a session when
   * it ends, so this must not contain a part of it before.
   */
  spentMs: number;
}

export const NEW_SESSION: SessionFacts = {
  preferencesRead: false,
  initialized: false,
  terminated: false,
  terminatedBy: null,
  abandoned: false,
  judged: false,
  reportedMs: 0,
};

const NOTHING: UnitFacts = {
  completed: false,
  passed: false,
  failed: false,
  waived: false,
  score: null,
  spentMs: 0,
};

/** The stored facts of a session. */
export function sessionFactsOf({ facts }: Pick<Session, 'facts'>): SessionFacts {
  return { ...NEW_SESSION, ...(facts as Partial<SessionFacts>) };
}

/**
 * Whether the session was terminated before a request. `terminated` may be handled before earlier requests of a page that
 * is being closed, because another instance may handle those. The page cannot send them again.
 */
export function isTerminatedBefore(
  { terminated, terminatedBy }: SessionFacts,
  lastRequest: RequestPlace | null,
): boolean {
  if (lastRequest === null || lastRequest.page !== terminatedBy?.page) return terminated;
  return lastRequest.number >= terminatedBy.number;
}

/** The stored progress of a unit. */
export function factsOf(unit: UnitState | null): UnitFacts {
  return { ...NOTHING, ...((unit?.data ?? {}) as Partial<UnitFacts>) };
}

/** Whether a unit is satisfied (cmi5 section 13.1.4, `moveOn`). */
export function isSatisfied(
  { cmi5 }: Pick<LaunchUnit, 'cmi5'>,
  { completed, passed, waived }: UnitFacts,
): boolean {
  if (waived) return true;
  const moveOn: MoveOn = cmi5?.moveOn ?? 'NotApplicable';
  switch (moveOn) {
    case 'NotApplicable':
      return true;
    case 'Passed':
      return passed;
    case 'Completed':
      return completed;
    case 'CompletedAndPassed':
      return completed && passed;
    case 'CompletedOrPassed':
      return completed || passed;
  }
}

/**
 * A unit's progress as the status of a registration. A waived unit counts as passed, as its statement implies (9.5.2).
 * Only a pass gives the status its score.
 */
export function statusOf(unit: Pick<LaunchUnit, 'cmi5'>, facts: UnitFacts): LearningStatus {
  return {
    completion: isSatisfied(unit, facts) ? 'Completed' : 'Incomplete',
    success: facts.passed || facts.waived ? 'PASS' : facts.failed ? 'FAIL' : 'UNKNOWN',
    score: facts.waived && !facts.passed ? null : facts.score,
  };
}
