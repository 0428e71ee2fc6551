import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachConcurrently } from './for-each-concurrently.ts';

describe('working through items concurrently', () => {
  it('does every item once, never more at a time than the limit', async () => {
    const done: number[] = [];
    let running = 0;
    let mostRunning = 0;
    await forEachConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await Promise.resolve();
      running -= 1;
      done.push(item);
    });
    assert.deepEqual(done.sort(), [1, 2, 3, 4, 5, 6, 7]);
    assert.equal(mostRunning, 3);
  });

  it('begins nothing more after a failure, aborts running work, and waits until it ends', async () => {
    const failure = new Error('the first failure');
    const slow = Promise.withResolvers<void>();
    const begun: string[] = [];
    let wasAborted = false;
    let slowEnded = false;
    const work = forEachConcurrently(['slow', 'failing', 'never'], 2, async (item, signal) => {
      begun.push(item);
      if (item === 'failing') throw failure;
      signal.addEventListener('abort', () => {
        wasAborted = true;
        slow.resolve();
      });
      await slow.promise;
      slowEnded = true;
    });
    await assert.rejects(work, failure);
    assert.deepEqual(begun, ['slow', 'failing']);
    assert.ok(wasAborted);
    assert.ok(slowEnded);
  });

  it('does nothing for no items', async () => {
    await forEachConcurrently([], 3, () => assert.fail('nothing to do'));
  });
});
