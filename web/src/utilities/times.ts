import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/time/units.ts';

const absolute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const precise = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZoneName: 'short',
});
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const zone = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });

/** In the viewer's time zone: `21 Nov 2026, 14:05` */
export function formatDateTime(time: Date): string {
  return absolute.format(time);
}

/** In the viewer's time zone: `14:05` of today, `20 Nov, 14:05` of this year, or else with the year. */
export function formatClock(time: Date, now: number): string {
  const today = new Date(now);
  if (time.toDateString() === today.toDateString()) return clock.format(time);
  return time.getFullYear() === today.getFullYear() ? dayAndClock.format(time) : formatDateTime(time);
}

/** In the viewer's time zone, with milliseconds and the name of the zone. */
export function formatPrecise(time: Date): string {
  return precise.format(time);
}

/** The name of the viewer's time zone at that time: `CET`, `GMT+5:30`. */
export function zoneName(time: Date): string {
  return zone.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
}

/** `2026-11-21 14:05:09.123 UTC` */
export function formatUtc(time: Date): string {
  return `${time.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** `5 minutes ago`, `in 3 hours`; the date if that says more. */
export function formatRelative(time: Date, now: number): string {
  const distance = time.getTime() - now;
  const size = Math.abs(distance);
  if (size < 5 * SECOND_MS) return 'just now';
  const rounded = (unit: number) => Math.sign(distance) * Math.round(size / unit);
  // Rounded before the unit is chosen: there are no 60 seconds ago.
  if (roundedTo(SECOND_MS, size) < MINUTE_MS) return relative.format(rounded(SECOND_MS), 'second');
  if (roundedTo(MINUTE_MS, size) < HOUR_MS) return relative.format(rounded(MINUTE_MS), 'minute');
  const days = calendarDays(time, now);
  if (roundedTo(HOUR_MS, size) < DAY_MS || days === 0) return relative.format(rounded(HOUR_MS), 'hour');
  if (size < 7 * DAY_MS) return relative.format(days, 'day');
  return formatDateTime(time);
}

/** How many days of the viewer's calendar the time is after today; negative if it is before. */
function calendarDays(time: Date, now: number): number {
  const start = (of: Date) => new Date(of).setHours(0, 0, 0, 0);
  // Days have 23 or 25 hours when the clocks change.
  return Math.round((start(time) - start(new Date(now))) / DAY_MS);
}

/**
 * A duration: `850 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. There is no line break between a number and
 * its unit.
 */
export function formatDuration(ms: number): string {
  if (roundedTo(1, ms) < SECOND_MS) return withUnit(roundedTo(1, ms), 'ms');
  const tenths = roundedTo(SECOND_MS / 10, ms);
  if (tenths < 10 * SECOND_MS) return withUnit((tenths / SECOND_MS).toFixed(1), 's');
  const seconds = roundedTo(SECOND_MS, ms);
  if (seconds < MINUTE_MS) return withUnit(seconds / SECOND_MS, 's');
  if (seconds < HOUR_MS) return two(seconds, MINUTE_MS, 'min', SECOND_MS, 's');
  const minutes = roundedTo(MINUTE_MS, ms);
  if (minutes < DAY_MS) return two(minutes, HOUR_MS, 'h', MINUTE_MS, 'min');
  return two(roundedTo(HOUR_MS, ms), DAY_MS, 'd', HOUR_MS, 'h');
}

/** The remaining time in whole seconds, rounded up, so that it ends at `1 s`. */
export function formatCountdown(ms: number): string {
  const left = Math.ceil(ms / SECOND_MS) * SECOND_MS;
  return left < MINUTE_MS ? withUnit(left / SECOND_MS, 's') : formatDuration(left);
}

/** The multiple of a unit that is nearest to a duration. */
function roundedTo(unit: number, ms: number): number {
  return Math.round(ms / unit) * unit;
}

/** A multiple of the smaller unit, in both units. */
function two(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = (ms % large) / small;
  const first = withUnit(Math.floor(ms / large), largeUnit);
  return rest === 0 ? first : `${first} ${withUnit(rest, smallUnit)}`;
}

function withUnit(amount: number | string, unit: string): string {
  return `${amount}\u00a0${unit}`;
}
