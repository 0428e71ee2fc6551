import { type ByteRange, RangeNotSatisfiableError } from './content-store.ts';

/**
 * The bytes of a file that a range selects (RFC 9110 section 14.1.2). An end beyond the file means its last byte.
 * @throws {RangeNotSatisfiableError}
 */
export function bytesOf(range: ByteRange, size: number): { first: number; last: number } {
  const end = size - 1;
  if ('suffix' in range) {
    if (range.suffix <= 0 || size === 0) throw new RangeNotSatisfiableError(size);
    return { first: Math.max(0, size - range.suffix), last: end };
  }
  const last = Math.min(range.last ?? end, end);
  if (range.first > last) throw new RangeNotSatisfiableError(size);
  return { first: range.first, last };
}
