import assert from 'node:assert/strict';
import { it } from 'node:test';
import { watchFetch } from '../../web/player/src/course-fetch.ts';
import type { WatchedPage } from '../../web/player/src/watched-page.ts';

const ORIGIN = 'http://content';
const STATEMENTS = `${ORIGIN}/token/xapi/statements`;

it('a report of a page that is about to close takes no room that the course itself has taken', (t) => {
  Object.defineProperty(globalThis, 'location', { value: { origin: ORIGIN }, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, 'location'));
  const sent: unknown[] = [];
  const course = {
    document: { baseURI: `${ORIGIN}/token/content/index.html` },
    Navigator: class {},
    fetch(_url: string, { keepalive }: RequestInit) {
      sent.push(keepalive);
      return new Promise<Response>(() => {});
    },
  };
  const note: WatchedPage['note'] = () => () => {};
  const page = { course, note, isLeaving: false, mayLeave: false };
  watchFetch(page as unknown as WatchedPage);
  const report = (length: number, init: RequestInit = {}) =>
    void course.fetch(STATEMENTS, { method: 'POST', body: 'x'.repeat(length), ...init });
  report(40_000, { keepalive: true });
  page.mayLeave = true;
  report(30_000);
  report(10_000);
  assert.deepEqual(sent, [true, undefined, true]);
});
