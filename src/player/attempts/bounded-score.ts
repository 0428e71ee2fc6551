const MIN = 0;
const MAX = 100;

/** A score within the limits of registrations, without the rounding errors of fractions. */
export function boundedScore(score: number): number {
  return Number(Math.min(MAX, Math.max(MIN, score)).toFixed(6));
}
