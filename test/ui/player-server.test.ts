import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { post, Refusal } from '../../web/player/src/server.ts';

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

  it('is not sent again if it is refused for another reason', async (t) => {
    const { mock } = t.mock.method(globalThis, 'fetch', async () => new Response('', { status: 409 }));
    await assert.rejects(post('units'), (error) => error instanceof Refusal && error.status === 409);
    assert.equal(mock.callCount(), 1);
  });
});
