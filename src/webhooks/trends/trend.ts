import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time/units.ts';

/** Counters of attempts for charts, and their presentation. Pure. */

/** The widths of stored counters. Wider buckets are sums of these. */
export type CounterWidth = typeof MINUTE_MS | typeof HOUR_MS;

/** Upper bounds, in milliseconds, of the classes of latencies. One more class counts the rest. */
const LATENCY_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;
/** The number of these classes. */
export const LATENCY_CLASSES = LATENCY_BOUNDS_MS.length + 1;

/** Attempts of a webhook within a period. */
export interface TrendCounters {
  successes: number;
  failures: number;
  /** Milliseconds. */
  latencyTotal: number;
  latencyMax: number;
  /** Attempts by class of latency. */
  latencies: number[];
}

/** Counters without attempts. */
export function emptyCounters(): TrendCounters {
  return {
    successes: 0,
    failures: 0,
    latencyTotal: 0,
    latencyMax: 0,
    latencies: new Array<number>(LATENCY_CLASSES).fill(0),
  };
}

/** Counts an attempt. */
export function countAttempt(counters: TrendCounters, succeeded: boolean, durationMs: number): void {
  if (succeeded) counters.successes += 1;
  else counters.failures += 1;
  counters.latencyTotal += durationMs;
  if (durationMs > counters.latencyMax) counters.latencyMax = durationMs;
  let latencyClass = 0;
  while (latencyClass < LATENCY_BOUNDS_MS.length && durationMs > LATENCY_BOUNDS_MS[latencyClass]!)
    latencyClass += 1;
  counters.latencies[latencyClass]! += 1;
}

/** Adds other counters to `sum`. */
export function addCounters(sum: TrendCounters, added: Readonly<TrendCounters>): void {
  sum.successes += added.successes;
  sum.failures += added.failures;
  sum.latencyTotal += added.latencyTotal;
  sum.latencyMax = Math.max(sum.latencyMax, added.latencyMax);
  for (let index = 0; index < LATENCY_CLASSES; index++) sum.latencies[index]! += added.latencies[index]!;
}

/**
 * The latency, in milliseconds, that a share of the attempts did not exceed. It is estimated: attempts are assumed to
 * be spread evenly within each class, and not to exceed the longest. Null without attempts.
 */
export function latencyQuantile(counters: Readonly<TrendCounters>, share: number): number | null {
  const attempts = counters.successes + counters.failures;
  if (attempts === 0) return null;
  const rank = share * attempts;
  let below = 0;
  for (let index = 0; index < LATENCY_CLASSES; index++) {
    const count = counters.latencies[index]!;
    if (count > 0 && below + count >= rank) {
      const from = index === 0 ? 0 : LATENCY_BOUNDS_MS[index - 1]!;
      const to = Math.min(LATENCY_BOUNDS_MS[index] ?? counters.latencyMax, counters.latencyMax);
      return from + (Math.max(from, to) - from) * ((rank - below) / count);
    }
    below += count;
  }
  return counters.latencyMax;
}

/** How a chart divides the time until now. The last bucket contains the current time. */
export const TREND_PERIODS = {
  hour: { counterMs: MINUTE_MS, bucketMs: MINUTE_MS, buckets: 60 },
  day: { counterMs: HOUR_MS, bucketMs: HOUR_MS, buckets: 24 },
  week: { counterMs: HOUR_MS, bucketMs: 2 * HOUR_MS, buckets: 84 },
  month: { counterMs: HOUR_MS, bucketMs: 6 * HOUR_MS, buckets: 120 },
} as const satisfies Record<string, { counterMs: CounterWidth; bucketMs: number; buckets: number }>;
export type TrendPeriod = keyof typeof TREND_PERIODS;

/** How long counters are kept. Charts show at most one hour of minutes and 30 days of hours. */
export const KEPT_MS: Readonly<Record<CounterWidth, number>> = {
  [MINUTE_MS]: 2 * HOUR_MS,
  [HOUR_MS]: 31 * DAY_MS,
};

/** Where the buckets of a period start, in epoch milliseconds. */
export function bucketStarts(period: TrendPeriod, now: number): number[] {
  const { bucketMs, buckets } = TREND_PERIODS[period];
  const last = Math.floor(now / bucketMs) * bucketMs;
  return Array.from({ length: buckets }, (_, index) => last - (buckets - 1 - index) * bucketMs);
}
