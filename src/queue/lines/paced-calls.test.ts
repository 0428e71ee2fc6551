import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { PacedCalls } from './paced-calls.ts';

const PAUSE_MS = 20;

describe('paced calls', () => {
  it('pass at once, each of them, while there is no pause', () => {
    const calls = new PacedCalls(PAUSE_MS);
    const listener = mock.fn();
    for (let n = 0; n < 3; n++) calls.call(listener);
    assert.equal(listener.mock.callCount(), 3);
  });

  it('that are made during a pause become one call after it', async () => {
    const calls = new PacedCalls(PAUSE_MS);
    const { promise: called, resolve } = Promise.withResolvers<void>();
    const listener = mock.fn(() => resolve());
    calls.pause();
    const begun = performance.now();
    for (let n = 0; n < 100; n++) calls.call(listener);
    assert.equal(listener.mock.callCount(), 0);
    await called;
    assert.ok(performance.now() - begun >= PAUSE_MS - 1);
    await delay(PAUSE_MS);
    assert.equal(listener.mock.callCount(), 1);
  });

  it('wait for the end of a later pause as well', async () => {
    const calls = new PacedCalls(PAUSE_MS);
    const { promise: called, resolve } = Promise.withResolvers<number>();
    calls.pause();
    const begun = performance.now();
    calls.call(() => resolve(performance.now() - begun));
    await delay(PAUSE_MS / 2);
    calls.pause();
    assert.ok((await called) >= PAUSE_MS * 1.4);
  });

  it('are never delayed if the pause is zero', () => {
    const calls = new PacedCalls(0);
    const listener = mock.fn();
    calls.pause();
    calls.call(listener);
    assert.equal(listener.mock.callCount(), 1);
  });
});
