import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { LearningStatus } from '../attempts/attempt.ts';
import { bounded } from './cmi.ts';

const PERCENT = 100;

/** What is read of the engine's state; everything else in it is the engine's own matter. */
const RootState = Type.Object({
  completionStatus: Type.String(),
  objectiveSatisfiedStatusKnown: Type.Boolean(),
  objectiveSatisfiedStatus: Type.Boolean(),
  objectiveMeasureStatus: Type.Boolean(),
  objectiveNormalizedMeasure: Type.Number(),
});

/**
 * The status of a sequenced course: that of the root activity, which the manifest's rollup rules decide. Null when the
 * state does not say it.
 * @param state what the page keeps for all units together
 */
export function rolledUpStatus(state: unknown, rootId: string): LearningStatus | null {
  const text = (state as { sequencing?: unknown } | null | undefined)?.sequencing;
  if (typeof text !== 'string') return null;
  let root: unknown;
  try {
    root = JSON.parse(text)?.sequencing?.activityStates?.[rootId];
  } catch {
    return null;
  }
  if (!Value.Check(RootState, root)) return null;
  return {
    completion: root.completionStatus === 'completed' ? 'Completed' : 'Incomplete',
    success: !root.objectiveSatisfiedStatusKnown
      ? 'UNKNOWN'
      : root.objectiveSatisfiedStatus
        ? 'PASS'
        : 'FAIL',
    score: root.objectiveMeasureStatus ? bounded(root.objectiveNormalizedMeasure * PERCENT) : null,
  };
}
