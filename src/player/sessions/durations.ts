import { DAY_MS } from '../../time/units.ts';

const ISO =
  /^P(?:([\d.,]+)Y)?(?:([\d.,]+)M)?(?:([\d.,]+)W)?(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?$/;
/** Milliseconds of a year, month, week, day, hour, minute and second. Years and months have their average length. */
const MS = [31_557_600_000, 2_629_800_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1_000];
/** A longer visit is a clock error. */
const MAX_MS = 7 * DAY_MS;

/** Parses an ISO 8601 duration. Returns milliseconds, at most a week; null if the text is not a duration. */
export function durationMs(text: unknown): number | null {
  const parts = typeof text === 'string' ? ISO.exec(text) : null;
  if (parts === null) return null;
  const ms = MS.reduce((sum, unit, at) => sum + unit * Number((parts[at + 1] ?? '0').replace(',', '.')), 0);
  return Number.isFinite(ms) ? Math.min(MAX_MS, Math.round(ms)) : null;
}

/** Formats milliseconds as an ISO 8601 duration in seconds. */
export function formatDuration(ms: number): string {
  return `PT${Number((Math.max(0, ms) / 1_000).toFixed(2))}S`;
}
