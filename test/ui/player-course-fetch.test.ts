import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { watchFetch } from '../../web/player/src/course-fetch.ts';
import type { WatchedPage } from '../../web/player/src/watched-page.ts';

const ORIGIN = 'http://content';
const STATEMENTS = `${ORIGIN}/token/xapi/statements`;

/** A page of a course whose reports get a response when the test says so. */
function watchedPage(t: TestContext) {
  Object.defineProperty(globalThis, 'location', { value: { origin: ORIGIN }, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, 'location'));
  const sent: unknown[] = [];
  const responses: ((response: Response) => void)[] = [];
  const documentOf = (name: string) => ({ baseURI: `${ORIGIN}/token/content/${name}.html` });
  const course = {
    document: documentOf('index'),
    Navigator: class {},
    fetch(_url: string, { keepalive }: RequestInit) {
      sent.push(keepalive);
      return new Promise<Response>((resolve) => responses.push(resolve));
    },
  };
  const note: WatchedPage['note'] = () => () => {};
  const page = { course, note, isLeaving: false, mayLeave: false };
  const sendItself = course.fetch;
  const watch = () => watchFetch(page as unknown as WatchedPage);
  watch();
  return {
    page,
    sent,
    report: (length: number, init: RequestInit = {}) =>
      void course.fetch(STATEMENTS, { method: 'POST', body: 'x'.repeat(length), ...init }),
    respond: async () => {
      for (const resolve of responses.splice(0)) resolve(new Response('[]'));
      await setImmediate();
    },
    /** The window shows the next page. The requests of the page before have no response in it. */
    goOn: () => {
      Object.assign(course, { document: documentOf('next'), fetch: sendItself });
      watch();
    },
  };
}

it('a report of a page that is about to close takes no room that the course itself has taken', (t) => {
  const { page, sent, report } = watchedPage(t);
  report(40_000, { keepalive: true });
  page.mayLeave = true;
  report(30_000);
  report(10_000);
  assert.deepEqual(sent, [true, undefined, true]);
});

it('the room of a report is free again once the report has a response', async (t) => {
  const { page, sent, report, respond } = watchedPage(t);
  report(40_000, { keepalive: true });
  page.mayLeave = true;
  await respond();
  report(30_000);
  report(30_000);
  await respond();
  report(60_000);
  assert.deepEqual(sent, [true, true, true, true]);
});

it('the next page in a window of a course has all its room', async (t) => {
  const { page, sent, report, goOn, respond } = watchedPage(t);
  report(40_000, { keepalive: true });
  goOn();
  page.mayLeave = true;
  report(40_000);
  assert.deepEqual(sent, [true, true]);
  goOn();
  // A response for a page before frees no room of this one.
  await respond();
  report(60_000);
  report(1_000);
  assert.deepEqual(sent, [true, true, true, undefined]);
});
