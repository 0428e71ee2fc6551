import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOUR_MS, SECOND_MS } from '../../time/units.ts';
import { CHANGES_AT_ONCE, ChangePace, PAUSE_MS } from './change-pace.ts';

/** A pace whose pauses take no time: its clock advances instead. */
function startPace() {
  const rests: number[] = [];
  const clock = { now: 0 };
  const pace = new ChangePace({
    now: () => clock.now,
    rest: async (ms) => {
      rests.push(ms);
      clock.now += ms;
    },
  });
  const change = (registrationId: string) =>
    pace.record(registrationId, async () => pace.changed(registrationId));
  return { pace, change, rests, clock };
}

it('changes of a registration follow each other at the pace of ten per second after the first ones', async () => {
  const { change, rests } = startPace();
  for (let n = 0; n < CHANGES_AT_ONCE; n++) await change('a');
  assert.deepEqual(rests, []);
  await change('a');
  await change('a');
  assert.deepEqual(rests, [PAUSE_MS, PAUSE_MS]);
  await change('b');
  assert.equal(rests.length, 2, 'others do not wait');
});

it('a course that reports five changes per second never waits', async () => {
  const { change, rests, clock } = startPace();
  for (; clock.now < HOUR_MS; clock.now += SECOND_MS / 5) await change('a');
  assert.deepEqual(rests, []);
});

it('saves that wait together are recorded one after the other, in their order, each after a short pause', async () => {
  const { pace, change, rests } = startPace();
  for (let n = 0; n < CHANGES_AT_ONCE; n++) await change('a');
  const order: (number | string)[] = [];
  const saves = [1, 2, 3].map((n) =>
    pace.record('a', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(n);
      pace.changed('a');
      if (n === 2) throw new Error('refused');
    }),
  );
  const opening = pace.settle('a').then(() => order.push('opening'));
  const later = pace.record('a', async () => order.push('later'));
  const results = await Promise.allSettled([...saves, opening, later]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(order, [1, 2, 3, 'opening', 'later']);
  assert.deepEqual(rests, [PAUSE_MS, PAUSE_MS, PAUSE_MS, PAUSE_MS]);
});

it('a request that is not paced does not wait if no save waits', async () => {
  const { pace, change, rests } = startPace();
  for (let n = 0; n < CHANGES_AT_ONCE; n++) await change('a');
  await pace.settle('a');
  assert.deepEqual(rests, []);
});

it('a stop ends all pauses, now and later', async () => {
  const pace = new ChangePace({ now: () => 0 });
  for (let n = 0; n < 100 * CHANGES_AT_ONCE; n++) pace.changed('a');
  const saved = pace.record('a', async () => 'saved');
  pace.stop();
  assert.equal(await saved, 'saved');
  assert.equal(await pace.record('a', async () => 'saved, too'), 'saved, too');
});
