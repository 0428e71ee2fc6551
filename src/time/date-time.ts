import { MINUTE_MS } from './units.ts';

/**
 * A date and time with a zone: ISO 8601 in the profile of RFC 3339. Seconds, their fraction and the minutes of the
 * zone are optional.
 */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)$/;

/**
 * The first and the last time whose year has four digits. Other times cannot be written in the form in which they are
 * read.
 */
const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** What is wrong with a text that {@link parseDateTime} does not accept. */
export const INVALID_DATE_TIME =
  'must be an ISO 8601 date and time with a time zone, such as 2026-01-31T09:30:00Z';

/** Epoch milliseconds of an ISO 8601 date and time with a zone; null if it is invalid or not a calendar day. */
export function parseDateTime(text: string): number | null {
  const match = DATE_TIME.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = 'Z'] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const date = new Date(0);
  // `Date.UTC` treats the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)));
  const offset = zoneOffsetMinutes(zone);
  if (offset === null) return null;
  const moment = date.getTime() - offset * MINUTE_MS;
  return moment < FIRST || moment > LAST ? null : moment;
}

function zoneOffsetMinutes(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = zone.length === 3 ? 0 : Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** ISO 8601 in UTC with milliseconds and a `Z`, the form of every time in responses, messages and logs. */
export function formatDateTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** {@link formatDateTime} for a time that may be null. */
export function formatOptionalDateTime(epochMs: number | null): string | null {
  return epochMs === null ? null : formatDateTime(epochMs);
}
