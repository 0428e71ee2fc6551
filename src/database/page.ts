/** Which part of a list is asked for: at most `limit` items beyond the one numbered `after`. */
export interface PageRequest {
  limit: number;
  after: number | null;
}

/** A part of a list, with the number to go on from; null at the end. */
export interface Page<T> {
  items: T[];
  next: number | null;
}

/** Cuts rows that were read with one more than the limit into a page. */
export function toPage<T extends { id: number }>(rows: T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
