/** The median; for an even number of values, the mean of the middle two. NaN for no values. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The smallest value that is not exceeded by this share of the values (nearest rank). NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * values.length));
  return ascending(values)[rank - 1] ?? Number.NaN;
}

/** The distance between the quartiles, within which the middle half of the values is. */
export function interquartileRange(values: readonly number[]): number {
  return quantile(values, 0.75) - quantile(values, 0.25);
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}
