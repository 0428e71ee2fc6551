import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Turn, Turns } from './turns.ts';

describe('turns of a group that may grow', () => {
  it('are more at once after each quick one up to the most, and as few as at first after a slow one', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const turns = new Turns({ atOnce: 1, growth: { most: 3, quickMs: 20 } });
    const begun: Turn[] = [];
    for (let n = 0; n < 12; n++) {
      const turn = turns.request('a');
      void turn.begin().then(() => begun.push(turn));
    }
    /** Ends a turn after a time. Returns how many are then handled at once. */
    const end = async (tookMs: number) => {
      now += tookMs;
      begun.shift()!.end();
      await setImmediate();
      return begun.length;
    };
    await setImmediate();
    assert.equal(begun.length, 1);
    assert.deepEqual([await end(19), await end(1), await end(1)], [2, 3, 3]);
    assert.deepEqual([await end(20), await end(0), await end(0)], [2, 1, 1]);
  });
});
