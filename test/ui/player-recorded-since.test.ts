import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { RecordedSince } from '../../web/player/src/recorded-since.ts';
import type { PageResponse, UnitsResponse } from '../../web/player/src/server.ts';
import { pageInNode, problem } from './support/page-in-node.ts';

const PAGE = { attempt: 0, page: 1 } as PageResponse;
const HEARD = { onResponse: () => {}, onEnd: () => {}, onUnreachable: () => {} };

/** A page that watches an open unit. */
function watching(t: TestContext, { isEnded = false, runtime = {} as object | null } = {}) {
  const page = pageInNode(t);
  t.mock.method(globalThis, 'setInterval', () => 0);
  page.answer = () => Response.json({ units: [], isSuperseded: false });
  const recorded = new RecordedSince(() => PAGE, HEARD);
  recorded.watch(() => ({ open: { runtime, window: null }, isEnded }));
  return page;
}

describe('a page that asks what was recorded', () => {
  for (const [what, runtime] of [
    ['reports to the page', {}],
    ['calls the service itself', null],
  ] as const) {
    it(`asks when it is visible again, if the open unit ${what}`, async (t) => {
      const page = watching(t, { runtime });
      await page.hide();
      assert.equal(page.requests.length, 0);
      await page.show();
      assert.deepEqual(
        page.requests.map(({ path, body }) => [path, body]),
        [['units', PAGE]],
      );
    });
  }

  it('asks when it returns from the cache of the browser, and not when it is loaded', async (t) => {
    const page = watching(t);
    await page.fire('pageshow', { persisted: false });
    assert.equal(page.requests.length, 0);
    await page.fire('pageshow', { persisted: true });
    assert.equal(page.requests.length, 1);
  });

  it('asks once the connection is back, if the open unit calls the service itself', async (t) => {
    const page = watching(t, { runtime: null });
    await page.fire('online');
    assert.equal(page.requests.length, 1);
  });

  it('does not ask once nothing is recorded any longer', async (t) => {
    const page = watching(t, { isEnded: true });
    await page.hide();
    await page.show();
    assert.equal(page.requests.length, 0);
  });

  it('polls once at a time, and not again at once while too many others are waiting', async (t) => {
    const responses: ((response: Response) => void)[] = [];
    t.mock.method(globalThis, 'fetch', () => new Promise((resolve) => responses.push(resolve)));
    const recorded = new RecordedSince(() => PAGE, HEARD);
    const polled = recorded.poll();
    await recorded.poll();
    assert.equal(responses.length, 1);
    responses[0]?.(new Response('{}', { status: 429 }));
    await polled;
    assert.equal(responses.length, 1);
    const again = recorded.poll();
    responses[1]?.(new Response('{}'));
    await again;
    assert.equal(responses.length, 2);
  });

  for (const [what, fail, isUnreachable] of [
    ['without a connection', () => Promise.reject(new TypeError('network')), true],
    ['if a proxy responds', () => Promise.resolve(new Response('<html>sign in')), true],
    ['if the service cannot read', () => Promise.resolve(problem(503)), true],
    ['if too many others are waiting', () => Promise.resolve(problem(429)), false],
  ] as const) {
    it(`${isUnreachable ? 'knows' : 'does not think'} that the service cannot be reached ${what}`, async (t) => {
      t.mock.method(globalThis, 'fetch', fail);
      const unreachable = t.mock.fn();
      await new RecordedSince(() => PAGE, { ...HEARD, onUnreachable: unreachable }).poll();
      assert.equal(unreachable.mock.callCount(), isUnreachable ? 1 : 0);
    });
  }

  it('knows the result of a unit that calls the service itself only once it has asked after that', async (t) => {
    const responses: ((response: Response) => void)[] = [];
    t.mock.method(globalThis, 'fetch', () => new Promise((resolve) => responses.push(resolve)));
    const recorded = new RecordedSince(() => PAGE, HEARD);
    assert.equal(recorded.isResultKnown, true);
    const before = recorded.ask();
    const after = recorded.askLeft();
    responses[0]?.(Response.json({}));
    await before;
    assert.equal(recorded.isResultKnown, false);
    responses[1]?.(Response.json({}));
    await after;
    assert.equal(recorded.isResultKnown, true);
  });

  it('drops a response that arrives after a newer one', async (t) => {
    const responses: ((response: Response) => void)[] = [];
    t.mock.method(globalThis, 'fetch', () => new Promise((resolve) => responses.push(resolve)));
    const received: UnitsResponse[] = [];
    const recorded = new RecordedSince(() => PAGE, {
      onResponse: (response) => received.push(response),
      onEnd: () => {},
      onUnreachable: () => {},
    });
    const older = recorded.ask();
    const newer = recorded.ask();
    responses[1]?.(Response.json({ units: ['newer'] }));
    await newer;
    responses[0]?.(Response.json({ units: ['older'] }));
    await older;
    assert.deepEqual(received, [{ units: ['newer'] }]);
  });
});
