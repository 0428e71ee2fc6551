import { parseDateTime } from '../time/date-time.ts';

/**
 * The value of a member whose schema has checked its text (`READ_AS`); null if it is missing.
 * @throws {Error} if the text cannot be read: as if missing, it would let a filter match everything
 */
export function given<T>(read: (text: string) => T | null, text: string | undefined): T | null {
  if (text === undefined) return null;
  const value = read(text);
  if (value === null) throw new Error('the schema of a request accepts a text that cannot be read');
  return value;
}

/** The time of a member (`TimeQuery`, `DateTimeInput`), in epoch milliseconds; null if it is missing or null. */
export function givenTime(text: string | null | undefined): number | null {
  return given(parseDateTime, text ?? undefined);
}
