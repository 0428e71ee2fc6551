const ISO =
  /^P(?:([\d.,]+)Y)?(?:([\d.,]+)M)?(?:([\d.,]+)W)?(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?$/;
/** Of years, months, weeks, days, hours, minutes and seconds. Years and months are those of an average. */
const MS = [31_557_600_000, 2_629_800_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1_000];
/** Longer visits are faults of a clock. */
const MAX_MS = 7 * 86_400_000;

/** Milliseconds of an ISO 8601 duration, at most a week; null when it is none. */
export function durationMs(text: unknown): number | null {
  const parts = typeof text === 'string' ? ISO.exec(text) : null;
  if (parts === null) return null;
  const ms = MS.reduce((sum, unit, at) => sum + unit * Number((parts[at + 1] ?? '0').replace(',', '.')), 0);
  return Number.isFinite(ms) ? Math.min(MAX_MS, Math.round(ms)) : null;
}

/** An ISO 8601 duration in seconds. */
export function formatDuration(ms: number): string {
  return `PT${Number((Math.max(0, ms) / 1_000).toFixed(2))}S`;
}
