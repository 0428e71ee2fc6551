/**
 * The requested part of a list: at most `limit` items after the one with the number `after`. A store reads one row more
 * than the limit if there is one, in the order of the list (by default, of ids), so that {@link toPage} knows whether more follow.
 */
export interface PageRequest {
  limit: number;
  after: number | null;
}

/** A part of a list, and the number to continue from; null at the end. */
export interface Page<T> {
  items: T[];
  next: number | null;
}

/** Makes a page of rows that were read with one more than the limit. */
export function toPage<T extends { id: number }>(rows: readonly T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
