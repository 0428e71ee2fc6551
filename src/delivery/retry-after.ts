import { SECOND_MS } from '../time/units.ts';

const SECONDS = /^\d+$/;
/** The preferred and the two obsolete forms of an HTTP date, RFC 9110 §5.6.7. */
const HTTP_DATE =
  /^(?:\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT|\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;
const ASCTIME_END = /\d{4}$/;

/** The longest wait that one of these headers asks for; null if none is valid. */
export function longestRetryAfter(headers: readonly string[], now: number): number | null {
  const waits = headers.map((header) => parseRetryAfter(header, now)).filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}

/**
 * The wait that a `Retry-After` header (RFC 9110 §10.2.3) asks for, in milliseconds from now. 0 for a date in the past;
 * null if the header is neither seconds nor an HTTP date.
 *
 * @param now epoch milliseconds
 */
export function parseRetryAfter(header: string, now: number): number | null {
  const text = header.trim();
  if (SECONDS.test(text)) return Math.min(Number(text) * SECOND_MS, Number.MAX_SAFE_INTEGER);
  if (!HTTP_DATE.test(text)) return null;
  // All HTTP dates are in UTC, but the format of asctime() does not contain the time zone.
  const date = Date.parse(ASCTIME_END.test(text) ? `${text} GMT` : text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
