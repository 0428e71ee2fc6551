import type { LearningStatus } from './attempt.ts';

/**
 * The status after a report. Completed and PASS never revert within an attempt. Only the score of another pass replaces
 * the score of a pass: a course that is tried again reports scores before it judges them.
 */
export function mergeStatus(present: LearningStatus, reported: LearningStatus): LearningStatus {
  const keepsPass = present.success === 'PASS' && reported.success !== 'PASS';
  const completion =
    present.completion === 'Completed' || reported.completion === 'Unknown'
      ? present.completion
      : reported.completion;
  if (keepsPass) {
    const given = reported.success === 'FAIL' ? null : reported.score;
    return { completion, success: 'PASS', score: present.score ?? given };
  }
  return {
    completion,
    success: reported.success === 'UNKNOWN' ? present.success : reported.success,
    score: reported.score ?? present.score,
  };
}
