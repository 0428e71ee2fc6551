import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Slots } from './slots.ts';

const unaborted = () => new AbortController().signal;

/** The current state of a promise. */
async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'settled'> {
  const settled = promise.then(
    () => 'settled' as const,
    () => 'settled' as const,
  );
  await new Promise((resolve) => setImmediate(resolve));
  return await Promise.race([settled, Promise.resolve('pending' as const)]);
}

describe('slots', () => {
  it('admit a limited number at a time, and the others in order of arrival', async () => {
    const slots = new Slots(2);
    const first = await slots.take(unaborted());
    await slots.take(unaborted());
    const third = slots.take(unaborted());
    const fourth = slots.take(unaborted());
    assert.equal(await stateOf(third), 'pending');
    first[Symbol.dispose]();
    assert.equal(await stateOf(third), 'settled');
    assert.equal(await stateOf(fourth), 'pending');
    (await third)[Symbol.dispose]();
    assert.equal(await stateOf(fourth), 'settled');
  });

  it('are returned once, however often they are disposed of', async () => {
    const slots = new Slots(1);
    const only = await slots.take(unaborted());
    only[Symbol.dispose]();
    only[Symbol.dispose]();
    await slots.take(unaborted());
    assert.equal(await stateOf(slots.take(unaborted())), 'pending');
  });

  it('are not given to callers that stopped waiting', async () => {
    const slots = new Slots(1);
    const only = await slots.take(unaborted());
    const leaving = new AbortController();
    const left = slots.take(leaving.signal);
    const next = slots.take(unaborted());
    leaving.abort(new Error('left'));
    await assert.rejects(left, { message: 'left' });
    only[Symbol.dispose]();
    assert.equal(await stateOf(next), 'settled');
    await assert.rejects(slots.take(AbortSignal.abort(new Error('left before'))), { message: 'left before' });
  });
});
