const MIN = 0;
const MAX = 100;

/**
 * A score within the limits of registrations, without the rounding errors of fractions. Null if it is NaN, since the
 * numbers that it comes from were too large to calculate with.
 */
function boundedScore(score: number): number | null {
  if (Number.isNaN(score)) return null;
  return Number(Math.min(MAX, Math.max(MIN, score)).toFixed(6));
}

/** The score of a scaled score, which standards give as a share of 1. Null if it is NaN. */
export function scaledScore(scaled: number): number | null {
  return boundedScore(scaled * MAX);
}

/**
 * The score of a raw score: its share of the range, or unchanged if the range is invalid. Null if the numbers are too
 * large to calculate with.
 */
export function scoreInRange(raw: number, min: number | null, max: number | null): number | null {
  const low = min ?? MIN;
  const range = (max ?? MAX) - low;
  if (range === Number.POSITIVE_INFINITY) return null;
  return boundedScore(range > 0 ? ((raw - low) / range) * MAX : raw);
}
