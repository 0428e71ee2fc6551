import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { post, Refusal, send } from '../../web/player/src/server.ts';

describe('a request of the player page', () => {
  it('is sent again after the time that the service asks for, if too many others were waiting', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const statuses = [429, 429, 200];
    let calls = 0;
    t.mock.method(globalThis, 'fetch', async () => {
      calls += 1;
      const status = statuses.shift() ?? 500;
      return new Response('{"a":1}', { status, headers: status === 429 ? { 'retry-after': '2' } : {} });
    });
    const answer = post('units');
    for (const expected of [1, 2]) {
      await nextTurn();
      assert.equal(calls, expected);
      t.mock.timers.tick(1_999);
      await nextTurn();
      assert.equal(calls, expected);
      t.mock.timers.tick(1);
    }
    assert.deepEqual(await answer, { a: 1 });
  });

  for (const retryAfter of ['6', '3600', '1e300'])
    it(`fails as out of reach if it would have to wait ${retryAfter} seconds, since the learner waits with it`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { mock } = t.mock.method(
        globalThis,
        'fetch',
        async () => new Response('busy', { status: 429, headers: { 'retry-after': retryAfter } }),
      );
      await assert.rejects(post('open'), (error) => error instanceof Refusal && error.status === 503);
      assert.equal(mock.callCount(), 1);
    });

  it('is sent again after the longest time that the service itself asks for', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const statuses = [429, 200];
    t.mock.method(globalThis, 'fetch', async () => {
      const status = statuses.shift() ?? 500;
      return new Response('{"a":1}', { status, headers: status === 429 ? { 'retry-after': '5' } : {} });
    });
    const answer = post('units');
    await nextTurn();
    t.mock.timers.tick(5_000);
    assert.deepEqual(await answer, { a: 1 });
  });

  it('is not sent again if it is refused for another reason', async (t) => {
    const { mock } = t.mock.method(globalThis, 'fetch', async () => Response.json({}, { status: 409 }));
    await assert.rejects(post('units'), (error) => error instanceof Refusal && error.status === 409);
    assert.equal(mock.callCount(), 1);
  });

  it('has as much time as its response needs, as long as more of it arrives', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let body: ReadableStreamDefaultController | undefined;
    t.mock.method(globalThis, 'fetch', async (_path: string, { signal }: { signal: AbortSignal }) => {
      const start = (controller: ReadableStreamDefaultController) => {
        body = controller;
        signal.addEventListener('abort', () => controller.error(signal.reason));
      };
      return new Response(new ReadableStream({ start }));
    });
    const answer = post('unit');
    for (const part of ['{"a":', '1', '}']) {
      await nextTurn();
      t.mock.timers.tick(19_000);
      body?.enqueue(new TextEncoder().encode(part));
    }
    body?.close();
    assert.deepEqual(await answer, { a: 1 });
    const stopped = assert.rejects(post('unit'));
    await nextTurn();
    t.mock.timers.tick(20_000);
    await stopped;
  });

  it('has more time to be sent if its text needs more bytes', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isAborted = false;
    t.mock.method(globalThis, 'fetch', (_path: string, { signal }: { signal: AbortSignal }) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          isAborted = true;
          reject(signal.reason);
        });
      });
    });
    const stopped = assert.rejects(send('commit', '字'.repeat(50_000)));
    t.mock.timers.tick(49_000);
    assert.equal(isAborted, false);
    t.mock.timers.tick(1_000);
    await stopped;
  });
});
