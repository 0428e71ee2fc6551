import { MINUTE_MS } from '../../time/units.ts';
import type { QuietHours } from './alert-rule.ts';

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

/** Whether a text is the IANA name of a time zone that this Node.js knows. A stored one may come from a newer Node.js. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a moment (epoch milliseconds) is within quiet hours. `from` belongs to them and `to` does not. They may span
 * midnight. The clock on the wall counts, so they are an hour longer or shorter when the clocks change. If this Node.js
 * does not know their time zone, none contain it: an alert in the night is better than none.
 */
export function isQuietAt(quiet: QuietHours | null, at: number): boolean {
  return quietSince(quiet, at) !== null;
}

/** When the quiet hours that contain a moment began, to the minute; null if none contain it. Both in epoch milliseconds. */
export function quietSince(quiet: QuietHours | null, at: number): number | null {
  if (quiet === null || !isTimeZone(quiet.timeZone)) return null;
  const now = minuteOfDay(new Intl.DateTimeFormat('en-GB', clockIn(quiet.timeZone)).format(at));
  const [from, to] = [minuteOfDay(quiet.from), minuteOfDay(quiet.to)];
  const isQuiet = from < to ? from <= now && now < to : now >= from || now < to;
  if (!isQuiet) return null;
  const elapsed = (now - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  return at - (at % MINUTE_MS) - elapsed * MINUTE_MS;
}

function clockIn(timeZone: string): Intl.DateTimeFormatOptions {
  return { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
}

function minuteOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * MINUTES_PER_HOUR + minute;
}
