import type { LearningStatus } from './attempt.ts';
import type { RolledUpStatus } from './roll-up.ts';

/**
 * The status after a report. Completed and PASS never revert within an attempt. A course that is tried again reports
 * scores before it judges them. So only another pass replaces the score of a pass, and only a report that is completed
 * or judged replaces the score of a completed unit. The score of a failure does not become that of a pass.
 */
export function mergeStatus(current: LearningStatus, reported: LearningStatus): LearningStatus {
  const keepsPass = current.success === 'PASS' && reported.success !== 'PASS';
  const keepsScore = keepsPass || (isOpen(reported) && current.completion === 'Completed');
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

/**
 * The status of a registration after its units report. A failure ends once units are judged and none is failed. A
 * result that was credited without a score gets none from a course that has no result yet: that score may be the first
 * answers of a test.
 */
export function mergeRollUp(registration: LearningStatus, rolledUp: RolledUpStatus): LearningStatus {
  const merged = mergeStatus(registration, rolledUp);
  if (registration.success === 'FAIL' && rolledUp.success === 'UNKNOWN' && rolledUp.isJudged) {
    return { ...merged, success: 'UNKNOWN', score: rolledUp.score };
  }
  const hasResult = registration.completion === 'Completed' || registration.success === 'PASS';
  return hasResult && isOpen(rolledUp) ? { ...merged, score: registration.score } : merged;
}

/** Whether a report has no result: it is neither completed nor judged. */
function isOpen({ completion, success }: LearningStatus): boolean {
  return completion !== 'Completed' && success === 'UNKNOWN';
}
