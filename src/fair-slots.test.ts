import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FairSlots } from './fair-slots.ts';

const never = new AbortController().signal;

/** Jobs that end on request, and a record of the order in which they begin. */
function jobs(slots: FairSlots) {
  const begun: string[] = [];
  const held = new Map<string, Disposable>();
  return {
    begun,
    ask: (caller: string, name: string, signal = never) =>
      slots.take(signal, caller).then((slot) => {
        begun.push(name);
        held.set(name, slot);
      }),
    end: async (name: string) => {
      held.get(name)![Symbol.dispose]();
      await setImmediate();
    },
  };
}

describe('fair slots', () => {
  it('leave one free for another caller, however many one caller requests', async () => {
    const { begun, ask } = jobs(new FairSlots(3));
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('a', name);
    await setImmediate();
    assert.deepEqual(begun, ['a1', 'a2']);
    await ask('b', 'b1');
    assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  });

  it('go to one caller in the order of its requests, who may have all of them if that is allowed', async () => {
    const { begun, ask, end } = jobs(new FairSlots(2, 2));
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('a', name);
    await setImmediate();
    assert.deepEqual(begun, ['a1', 'a2']);
    await end('a1');
    assert.deepEqual(begun, ['a1', 'a2', 'a3']);
  });

  it('go to callers in turns', async () => {
    const { begun, ask, end } = jobs(new FairSlots(1));
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    for (const name of ['b1', 'b2']) void ask('b', name);
    for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) {
      await setImmediate();
      assert.equal(begun.at(-1), name);
      await end(name);
    }
  });

  it('are not given to callers that stopped waiting, and are returned only once', async () => {
    const { begun, ask, end } = jobs(new FairSlots(1));
    await ask('a', 'a1');
    const leaving = new AbortController();
    const left = ask('b', 'b1', leaving.signal);
    void ask('c', 'c1');
    leaving.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
    await end('a1');
    await end('a1');
    void ask('d', 'd1');
    await setImmediate();
    assert.deepEqual(begun, ['a1', 'c1']);
    await end('c1');
    assert.deepEqual(begun, ['a1', 'c1', 'd1']);
    await assert.rejects(ask('e', 'e1', AbortSignal.abort(new Error('gone before'))), /gone before/);
  });
});
