import { MINUTE_MS } from '../../time/units.ts';
import type { QuietHours } from './alert-rule.ts';

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

/** Whether a text is the IANA name of a time zone that this Node.js knows. A stored one may come from a newer Node.js. */
export function isTimeZone(name: string): boolean {
  return clockIn(name) !== null;
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
  if (quiet === null) return null;
  const clock = clockIn(quiet.timeZone);
  if (clock === null) return null;
  return startOf(quiet, at - (at % MINUTE_MS), (time) => minuteOfDay(clock.format(time)));
}

/** The first of the quiet minutes that end with the one at `at`; null if that is not quiet. */
function startOf(quiet: QuietHours, at: number, clock: (time: number) => number): number | null {
  const [from, to, now] = [minuteOfDay(quiet.from), minuteOfDay(quiet.to), clock(at)];
  const isQuiet = from < to ? from <= now && now < to : now >= from || now < to;
  if (!isQuiet) return null;
  const elapsed = (now - from + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const start = startUnlessChanged(at, elapsed, clock);
  // The clock may have been changed to this time from another quiet one.
  return startOf(quiet, start - MINUTE_MS, clock) ?? start;
}

/** The moment that is as many minutes before `at` as the clock says, or the change of the clock since then. */
function startUnlessChanged(at: number, elapsed: number, clock: (time: number) => number): number {
  const now = clock(at);
  const isUnchangedFor = (minutes: number) =>
    clock(at - minutes * MINUTE_MS) === (now - minutes + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (isUnchangedFor(elapsed)) return at - elapsed * MINUTE_MS;
  let [after, before] = [0, elapsed];
  while (before - after > 1) {
    const middle = Math.floor((after + before) / 2);
    if (isUnchangedFor(middle)) after = middle;
    else before = middle;
  }
  return at - after * MINUTE_MS;
}

/** What the clock on the wall says; null in an unknown time zone. */
function clockIn(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  } catch {
    return null;
  }
}

function minuteOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * MINUTES_PER_HOUR + minute;
}
