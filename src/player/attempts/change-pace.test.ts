import assert from 'node:assert/strict';
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
