import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { SECOND_MS } from '../../time/units.ts';
import { CHANGES_AT_ONCE, ChangePace } from './change-pace.ts';

it('changes of a registration follow each other at the pace of one per second after the first ones', async () => {
  let now = 0;
  const rests: number[] = [];
  const pace = new ChangePace({
    now: () => now,
    rest: async (ms) => {
      rests.push(ms);
      now += ms;
    },
  });
  const change = async (registrationId: string) => {
    await pace.next(registrationId);
    pace.changed(registrationId);
  };
  for (let n = 0; n < CHANGES_AT_ONCE; n++) await change('a');
  assert.deepEqual(rests, []);
  await change('a');
  await change('a');
  assert.deepEqual(rests, [SECOND_MS, SECOND_MS]);
  await change('b');
  assert.equal(rests.length, 2, 'others do not wait');
});

it('saves of a registration that wait continue in their order, each after the pause of the one before', async () => {
  const wakes: (() => void)[] = [];
  const pace = new ChangePace({
    now: () => 0,
    rest: () => new Promise<void>((resolve) => wakes.push(resolve)),
  });
  for (let n = 0; n < CHANGES_AT_ONCE; n++) pace.changed('a');
  const order: number[] = [];
  const waits = [1, 2, 3].map(async (n) => {
    await pace.next('a');
    order.push(n);
  });
  for (const n of [1, 2, 3]) {
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(wakes.length, 1, 'one at a time');
    wakes.pop()!();
    await waits[n - 1];
  }
  assert.deepEqual(order, [1, 2, 3]);
});

it('a last request of a page passes at once, after the saves before it', async () => {
  const pace = new ChangePace({
    now: () => 0,
    rest: async (_ms, signal) => {
      if (!signal.aborted) await once(signal, 'abort');
    },
  });
  for (let n = 0; n < CHANGES_AT_ONCE; n++) pace.changed('a');
  const order: number[] = [];
  const save = async (n: number, isLast: boolean) => {
    await pace.next('a', { isLast });
    order.push(n);
  };
  await save(1, true);
  await Promise.all([save(2, false), save(3, true)]);
  assert.deepEqual(order, [1, 2, 3]);
});

it('last requests pass at once only as many times again', async () => {
  let rests = 0;
  const pace = new ChangePace({
    now: () => 0,
    rest: async () => {
      rests += 1;
    },
  });
  for (let n = 0; n < 2 * CHANGES_AT_ONCE; n++) {
    await pace.next('a', { isLast: true });
    pace.changed('a');
  }
  assert.equal(rests, 0);
  await pace.next('a', { isLast: true });
  assert.equal(rests, 1);
});
