import type { LearningStatus } from './attempt.ts';

/**
 * The status after a report. Completed and PASS never revert within an attempt. A course that is tried again reports
 * scores before it judges them. So only another pass replaces the score of a pass, and only a report that is completed
 * or judged replaces the score of what was completed. The score of a failure does not become that of a pass.
 */
export function mergeStatus(current: LearningStatus, reported: LearningStatus): LearningStatus {
  const keepsPass = current.success === 'PASS' && reported.success !== 'PASS';
  const isOpen = reported.completion !== 'Completed' && reported.success === 'UNKNOWN';
  const keepsScore = keepsPass || (isOpen && current.completion === 'Completed');
  const given = keepsPass && reported.success === 'FAIL' ? null : reported.score;
  const former = current.success === 'FAIL' && reported.success === 'PASS' ? null : current.score;
  return {
    completion:
      current.completion === 'Completed' || reported.completion === 'Unknown'
        ? current.completion
        : reported.completion,
    success: keepsPass || reported.success === 'UNKNOWN' ? current.success : reported.success,
    score: keepsScore ? (former ?? given) : (given ?? former),
  };
}
