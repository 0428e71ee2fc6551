/** The requested part of a list: at most `limit` items after the one with the number `after`. */
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
export function toPage<T extends { id: number }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
