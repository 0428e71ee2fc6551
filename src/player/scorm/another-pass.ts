import type { LearningStatus } from '../attempts/attempt.ts';

/**
 * A unit that has passed gets this status when it is opened again. It may report scores of a new try before it changes
 * the status. So only a higher score counts, unless the unit has reported another status in the same visit.
 * @param current the recorded status; null before the first report
 * @param last the latest status that the unit has reported in the same visit; null for none
 * @returns the report, without its score if that does not count
 */
export function withoutLowerScore(
  reported: LearningStatus,
  { current, last }: { current: LearningStatus | null; last: LearningStatus | null },
): LearningStatus {
  const isSamePass = [reported, current, last ?? current].every((status) => status?.success === 'PASS');
  const isLower = (reported.score ?? 0) < (current?.score ?? 0);
  return isSamePass && isLower ? { ...reported, score: null } : reported;
}
