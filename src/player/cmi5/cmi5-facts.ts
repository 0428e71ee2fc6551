import type { LaunchUnit, MoveOn } from '../../course-packages/package-description.ts';
import type { LearningStatus, UnitState } from '../attempts/attempt.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';

/** What has happened in a session, as far as it matters to the rules of cmi5. */
export interface SessionFacts extends JsonObject {
  /** Whether the unit has asked for the learner's preferences. */
  preferencesRead: boolean;
  initialized: boolean;
  terminated: boolean;
  abandoned: boolean;
  /** Whether the unit has passed or failed in this session. */
  judged: boolean;
}

/** What has happened to a unit in an attempt. */
export interface UnitFacts {
  completed: boolean;
  passed: boolean;
  failed: boolean;
  /** Whether somebody has decided that the learner need not do it. */
  waived: boolean;
  /** The score of the latest verdict, 0 to 100; null while there is none. */
  score: number | null;
  /** Time of the sessions that have ended. */
  spentMs: number;
}

export const NEW_SESSION: SessionFacts = {
  preferencesRead: false,
  initialized: false,
  terminated: false,
  abandoned: false,
  judged: false,
};

const NOTHING: UnitFacts = {
  completed: false,
  passed: false,
  failed: false,
  waived: false,
  score: null,
  spentMs: 0,
};

/** What has happened to a unit. */
export function factsOf(present: UnitState | null): UnitFacts {
  return { ...NOTHING, ...((present?.data ?? {}) as Partial<UnitFacts>) };
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

/** A unit's facts as the status of a registration. A waived unit counts as passed, as its statement says (9.5.2). */
export function statusOf(unit: Pick<LaunchUnit, 'cmi5'>, facts: UnitFacts): LearningStatus {
  return {
    completion: isSatisfied(unit, facts) ? 'Completed' : 'Incomplete',
    success: facts.passed || facts.waived ? 'PASS' : facts.failed ? 'FAIL' : 'UNKNOWN',
    score: facts.score,
  };
}
