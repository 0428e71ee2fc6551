import { parseDateTime } from '../time/date-time.ts';

/** The time of a member that its schema has checked (`TimeQuery`), in epoch milliseconds; null if it is missing. */
export function givenTime(text: string | undefined): number | null {
  return text === undefined ? null : parseDateTime(text);
}
