/** A primary result code of SQLite: another connection holds a lock. */
export const SQLITE_BUSY = 5;

/** The primary result code of an error of SQLite; 0 for other errors. Extended result codes have more bits. */
export function resultCodeOf(error: unknown): number {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : 0;
}
