import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { retryDelay } from './retry-schedule.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** The random number from 0 to 1 that does not change a delay of the schedule. */
const MIDDLE = () => 0.5;

const delay = (attempt: number, more: Partial<Parameters<typeof retryDelay>[0]> = {}) =>
  retryDelay({
    attempt,
    initialDelayMs: 5 * SECOND,
    maxDelayMs: HOUR,
    retryAfterMs: null,
    random: MIDDLE,
    ...more,
  });

describe('the delay before another attempt', () => {
  it('starts with the initial delay and doubles', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((attempt) => delay(attempt)),
      [5, 10, 20, 40, 80].map((s) => s * SECOND),
    );
  });

  it('is spread by 20 % to either side', () => {
    assert.equal(delay(1, { random: () => 0 }), 4 * SECOND);
    assert.equal(delay(1, { random: () => 1 - Number.EPSILON }), 6 * SECOND);
  });

  it('stays at the maximum once it is reached, spread below it', () => {
    for (const attempt of [11, 12, 100, 1_000, 1e9, Number.MAX_SAFE_INTEGER]) {
      assert.equal(delay(attempt, { random: () => 0 }), 0.8 * HOUR);
      assert.equal(delay(attempt), 0.9 * HOUR);
      assert.equal(delay(attempt, { random: () => 1 - Number.EPSILON }), HOUR);
    }
  });

  it('is as long as Retry-After asks', () => {
    assert.equal(delay(1, { retryAfterMs: 90 * SECOND }), 90 * SECOND);
  });

  it('is not longer than the maximum, whatever Retry-After asks', () => {
    assert.equal(delay(1, { retryAfterMs: 24 * HOUR }), HOUR);
    assert.equal(delay(1, { retryAfterMs: Number.MAX_SAFE_INTEGER }), HOUR);
  });

  it('is not shorter than in the schedule, whatever Retry-After requests', () => {
    assert.equal(delay(3, { retryAfterMs: 0 }), delay(3));
    assert.equal(delay(3, { retryAfterMs: SECOND }), delay(3));
  });

  it('can be zero', () => {
    assert.equal(delay(1_000, { initialDelayMs: 0 }), 0);
    assert.equal(delay(1, { maxDelayMs: 0 }), 0);
  });

  const input = fc.record({
    attempt: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    initialDelayMs: fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 1e9, noNaN: true })),
    maxDelayMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
    retryAfterMs: fc.option(fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true })),
    drawn: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });

  it('is a whole number of milliseconds from 0 to the maximum, for every input', () => {
    fc.assert(
      fc.property(input, ({ drawn, ...rest }) => {
        const result = retryDelay({ ...rest, random: () => drawn });
        assert.ok(Number.isSafeInteger(result) && result >= 0 && result <= rest.maxDelayMs);
      }),
    );
  });

  it('lies within 20 % of its step, for every input', () => {
    fc.assert(
      fc.property(input, ({ drawn, ...rest }) => {
        const result = retryDelay({ ...rest, retryAfterMs: null, random: () => drawn });
        let step = rest.initialDelayMs;
        for (let made = 1; made < rest.attempt && step > 0 && step < rest.maxDelayMs; made++) step += step;
        step = Math.min(step, rest.maxDelayMs);
        assert.ok(result >= Math.floor((step * 4) / 5), `${result} ms for a step of ${step} ms`);
        assert.ok(result <= Math.ceil((step * 6) / 5), `${result} ms for a step of ${step} ms`);
      }),
    );
  });

  it('never gets shorter by more attempts or by a Retry-After, for every input', () => {
    fc.assert(
      fc.property(input, ({ drawn, ...rest }) => {
        const random = () => drawn;
        const result = retryDelay({ ...rest, random });
        assert.ok(result >= retryDelay({ ...rest, retryAfterMs: null, random }));
        assert.ok(retryDelay({ ...rest, attempt: rest.attempt + 1, random }) >= result);
        if (rest.retryAfterMs !== null)
          assert.ok(result >= Math.floor(Math.min(rest.retryAfterMs, rest.maxDelayMs)));
      }),
    );
  });
});
