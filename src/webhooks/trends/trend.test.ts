import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  addCounters,
  bucketStarts,
  countAttempt,
  emptyCounters,
  latencyQuantile,
  type TrendPeriod,
} from './trend.ts';

/** The bars of each chart: their number, and the period of each. */
const PERIODS: Readonly<Record<TrendPeriod, { bucketMs: number; buckets: number }>> = {
  hour: { bucketMs: 60_000, buckets: 60 },
  day: { bucketMs: 3_600_000, buckets: 24 },
  week: { bucketMs: 7_200_000, buckets: 84 },
  month: { bucketMs: 21_600_000, buckets: 120 },
};

const attempts = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 60_000 })), { maxLength: 50 });

function counted(list: readonly (readonly [boolean, number])[]) {
  const counters = emptyCounters();
  for (const [succeeded, durationMs] of list) countAttempt(counters, succeeded, durationMs);
  return counters;
}

describe('counters for charts', () => {
  it('add up to the total count, however it was divided', () => {
    fc.assert(
      fc.property(attempts, attempts, (some, others) => {
        const sum = counted(some);
        addCounters(sum, counted(others));
        assert.deepEqual(sum, counted([...some, ...others]));
      }),
    );
  });

  it('estimate a quantile within the class that contains it, and never beyond the longest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 50 }),
        (latencies) => {
          const counters = counted(latencies.map((latency) => [true, latency] as const));
          const sorted = latencies.toSorted((a, b) => a - b);
          for (const share of [0.5, 0.95]) {
            const exact = sorted[Math.ceil(share * sorted.length) - 1]!;
            const estimate = latencyQuantile(counters, share)!;
            assert.ok(estimate <= sorted.at(-1)!, `${estimate} is more than any of ${sorted}`);
            const classOf = (value: number) => counted([[true, value]]).latencies.indexOf(1);
            assert.equal(classOf(Math.max(estimate, 0.001)), classOf(exact));
          }
        },
      ),
    );
  });

  it('have no latency without attempts', () => {
    assert.equal(latencyQuantile(emptyCounters(), 0.5), null);
  });
});

describe('the buckets of a period', () => {
  it('are evenly spaced, cover the period, and the last one contains the current time', () => {
    const periods = Object.keys(PERIODS) as TrendPeriod[];
    fc.assert(
      fc.property(
        fc.constantFrom(...periods),
        fc.integer({ min: 1_700_000_000_000, max: 2_000_000_000_000 }),
        (period, now) => {
          const { bucketMs, buckets } = PERIODS[period];
          const starts = bucketStarts(period, now);
          assert.equal(starts.length, buckets);
          assert.ok(starts.at(-1)! <= now && now < starts.at(-1)! + bucketMs);
          for (const [index, start] of starts.entries()) assert.equal(start, starts[0]! + index * bucketMs);
        },
      ),
    );
  });
});
