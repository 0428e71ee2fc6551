import type { LearningStatus } from './attempt.ts';

/**
 * The status after a report. Completed and PASS never revert within an attempt. A score belongs to the success status
 * that it was reported with: a score reported with FAIL does not replace the score of a pass.
 */
export function mergeStatus(present: LearningStatus, reported: LearningStatus): LearningStatus {
  const keepsPass = present.success === 'PASS' && reported.success !== 'PASS';
  const completion =
    present.completion === 'Completed' || reported.completion === 'Unknown'
      ? present.completion
      : reported.completion;
  if (keepsPass) {
    const score = reported.success === 'FAIL' ? present.score : (reported.score ?? present.score);
    return { completion, success: 'PASS', score };
  }
  return {
    completion,
    success: reported.success === 'UNKNOWN' ? present.success : reported.success,
    score: reported.score ?? present.score,
  };
}
