import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RateLimit } from './rate-limit.ts';

function limit() {
  let now = 0;
  const limited = new RateLimit({ burst: 3, refillMs: 1_000 }, () => now);
  return {
    limited,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('a rate limit', () => {
  it('allows a burst, then one per period', () => {
    const { limited, pass } = limit();
    for (let n = 0; n < 3; n++) {
      assert.equal(limited.waitMs('a'), 0);
      limited.count('a');
    }
    assert.equal(limited.waitMs('a'), 1_000);
    pass(400);
    assert.equal(limited.waitMs('a'), 600);
    pass(600);
    assert.equal(limited.waitMs('a'), 0);
    limited.count('a');
    assert.equal(limited.waitMs('a'), 1_000);
  });

  it('counts each on its own', () => {
    const { limited } = limit();
    for (let n = 0; n < 5; n++) limited.count('a');
    assert.equal(limited.waitMs('a'), 3_000, 'also those that were not allowed');
    assert.equal(limited.waitMs('b'), 0);
  });

  it('forgets those who may have the whole burst again', () => {
    const { limited, pass } = limit();
    for (let n = 0; n < 100; n++) limited.count(`${n}`);
    assert.equal(limited.size, 100);
    pass(1_000);
    limited.count('a');
    assert.equal(limited.size, 1);
  });
});
