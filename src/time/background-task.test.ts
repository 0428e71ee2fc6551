import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { BackgroundTask } from './background-task.ts';

const LONG_MS = 1_000_000;

/** A task whose rounds are counted and can be awaited. */
function counted(
  options: { pauseMs: number; firstPauseMs?: number },
  work: () => Promise<void> = async () => {},
) {
  const rounds = new EventTarget();
  const counts = { begun: 0, ended: 0, errors: [] as unknown[] };
  const task = new BackgroundTask({
    ...options,
    round: async () => {
      counts.begun += 1;
      rounds.dispatchEvent(new Event('round'));
      await work();
      counts.ended += 1;
    },
    onError: (error) => counts.errors.push(error),
  });
  return { task, counts, nextRound: () => once(rounds, 'round') };
}

describe('a background task', () => {
  it('does its first round immediately, and the next one after its pause', async () => {
    const { task, counts, nextRound } = counted({ pauseMs: 1 });
    await using _ = task;
    task.start();
    assert.equal(counts.begun, 1);
    await nextRound();
    await nextRound();
    assert.ok(counts.begun >= 3);
  });

  it('does one round at a time, however often it is started and woken', async () => {
    let under = 0;
    const { task, counts, nextRound } = counted({ pauseMs: LONG_MS }, async () => {
      under += 1;
      assert.equal(under, 1);
      await new Promise(setImmediate);
      under -= 1;
    });
    await using _ = task;
    task.start();
    task.start();
    const second = nextRound();
    task.wake();
    task.wake();
    await second;
    assert.equal(counts.begun, 2);
    assert.deepEqual(counts.errors, []);
  });

  it('is woken from its pause, and from the pause before its first round', async () => {
    const { task, counts, nextRound } = counted({ pauseMs: LONG_MS, firstPauseMs: LONG_MS });
    await using _ = task;
    task.start();
    assert.equal(counts.begun, 0);
    const first = nextRound();
    task.wake();
    await first;
    const second = nextRound();
    task.wake();
    await second;
    assert.equal(counts.begun, 2);
  });

  it('continues after a failed round', async () => {
    const { task, counts, nextRound } = counted({ pauseMs: 1 }, () => Promise.reject(new Error('no')));
    await using _ = task;
    task.start();
    await nextRound();
    assert.ok(counts.errors.length >= 1);
  });

  it('waits for the round in progress when it is disposed of, and starts no other', async () => {
    const work = Promise.withResolvers<void>();
    const { task, counts } = counted({ pauseMs: 0 }, () => work.promise);
    task.start();
    const disposed = task[Symbol.asyncDispose]();
    assert.equal(task.signal.aborted, true);
    work.resolve();
    await disposed;
    assert.deepEqual(counts, { begun: 1, ended: 1, errors: [] });
  });

  it('does nothing if it is disposed of before it starts', async () => {
    const { task, counts } = counted({ pauseMs: 0 });
    await task[Symbol.asyncDispose]();
    task.start();
    await task[Symbol.asyncDispose]();
    assert.equal(counts.begun, 0);
  });
});
