import type { LearningStatus, UnitState } from './attempt.ts';
import { NOTHING_LEARNED } from './attempt.ts';

/**
 * The status of a course, from the units that a learner has opened. It is completed if all units are completed, and
 * failed if a unit is failed. It is passed if it is completed and all units with a success status are passed. The score
 * is the mean of all unit scores.
 * @param unitIds all units of the course
 */
export function rollUp(unitIds: readonly string[], units: readonly UnitState[]): LearningStatus {
  const byId = new Map(units.map((unit) => [unit.unitId, unit]));
  const states = unitIds.map((id) => byId.get(id) ?? null);
  const [only] = states;
  if (states.length === 1) {
    return only == null
      ? NOTHING_LEARNED
      : { completion: only.completion, success: only.success, score: only.score };
  }
  const isCompleted = states.every((unit) => unit?.completion === 'Completed');
  const judged = states.filter((unit) => unit !== null && unit.success !== 'UNKNOWN');
  const hasFailed = judged.some((unit) => unit?.success === 'FAIL');
  const scores = states.flatMap((unit) => (unit?.score == null ? [] : [unit.score]));
  return {
    completion: isCompleted ? 'Completed' : units.length > 0 ? 'Incomplete' : 'Unknown',
    success: hasFailed ? 'FAIL' : isCompleted && judged.length > 0 ? 'PASS' : 'UNKNOWN',
    score: scores.length === 0 ? null : rounded(scores.reduce((sum, score) => sum + score) / scores.length),
  };
}

/** Sums of decimal fractions have rounding errors in their last digits. */
function rounded(score: number): number {
  return Number(score.toFixed(6));
}
