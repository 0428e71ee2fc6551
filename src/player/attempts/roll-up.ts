import type { LearningStatus, UnitState } from './attempt.ts';
import { NOTHING_LEARNED } from './attempt.ts';

/** The status of a course, which follows from its units. */
export interface RolledUpStatus extends LearningStatus {
  /** Whether any unit is passed or failed. */
  isJudged: boolean;
}

/**
 * The status of a course, from the units that a learner has opened. It is completed if all units are completed, and
 * failed if a unit is failed. It is passed if it is completed and all units with a success status are passed. The score
 * is the mean of all unit scores.
 * @param unitIds all units of the course
 */
export function rollUp(unitIds: readonly string[], units: readonly UnitState[]): RolledUpStatus {
  const byId = new Map(units.map((unit) => [unit.unitId, unit]));
  const states = unitIds.map((id) => byId.get(id) ?? null);
  const judged = states.filter((unit) => unit !== null && unit.success !== 'UNKNOWN');
  const isJudged = judged.length > 0;
  const [only] = states;
  if (states.length === 1) {
    const { completion, success, score } = only ?? NOTHING_LEARNED;
    return { completion, success, score, isJudged };
  }
  const isCompleted = states.every((unit) => unit?.completion === 'Completed');
  const hasFailed = judged.some((unit) => unit?.success === 'FAIL');
  const scores = states.flatMap((unit) => (unit?.score == null ? [] : [unit.score]));
  return {
    completion: isCompleted ? 'Completed' : units.length > 0 ? 'Incomplete' : 'Unknown',
    success: hasFailed ? 'FAIL' : isCompleted && isJudged ? 'PASS' : 'UNKNOWN',
    score: scores.length === 0 ? null : rounded(scores.reduce((sum, score) => sum + score) / scores.length),
    isJudged,
  };
}

/** Sums of decimal fractions have rounding errors in their last digits. */
function rounded(score: number): number {
  return Number(score.toFixed(6));
}
