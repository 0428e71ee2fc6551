import type { QuietHours } from './alert-rule.ts';

const MINUTES_PER_HOUR = 60;

/** Whether a text is the IANA name of a time zone that this Node.js knows. */
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
 * midnight. The clock on the wall counts, so they are an hour longer or shorter when the clocks change.
 */
export function isQuietAt(quiet: QuietHours | null, at: number): boolean {
  if (quiet === null) return false;
  const now = minuteOfDay(new Intl.DateTimeFormat('en-GB', clockIn(quiet.timeZone)).format(at));
  const [from, to] = [minuteOfDay(quiet.from), minuteOfDay(quiet.to)];
  return from < to ? from <= now && now < to : now >= from || now < to;
}

function clockIn(timeZone: string): Intl.DateTimeFormatOptions {
  return { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
}

function minuteOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * MINUTES_PER_HOUR + minute;
}
