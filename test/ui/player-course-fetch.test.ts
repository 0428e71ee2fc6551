import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { watchFetch } from '../../web/player/src/course-fetch.ts';
import { watchRequests } from '../../web/player/src/course-request.ts';
import type { WatchedPage } from '../../web/player/src/watched-page.ts';

const ORIGIN = 'http://content';
const STATEMENTS = `${ORIGIN}/token/xapi/statements`;
const ELSEWHERE = 'http://elsewhere/log';
const BEACON_MS = 5_000;

/** A page of a course whose reports get a response when the test says so. */
function watchedPage(t: TestContext, { request }: { request?: unknown } = {}) {
  Object.defineProperty(globalThis, 'location', { value: { origin: ORIGIN }, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis, 'location'));
  const sent: unknown[] = [];
  const responses: ((response: Response) => void)[] = [];
  const documentOf = (name: string) => ({ baseURI: `${ORIGIN}/token/content/${name}.html` });
  const course = {
    document: documentOf('index'),
    Request: request === undefined ? class extends Request {} : (request as typeof Request),
    Navigator: class {
      sendBeacon(_url: string, _data?: BodyInit): boolean {
        return true;
      }
    },
    fetch(_input: string | Request, init?: RequestInit) {
      sent.push(init?.keepalive);
      return new Promise<Response>((resolve) => responses.push(resolve));
    },
  };
  const note: WatchedPage['note'] = () => () => {};
  const sendItself = course.fetch;
  const sender = {
    fetch: sendItself,
    get document() {
      return course.document;
    },
  };
  const page = { course, sender, note, isLeaving: false, mayLeave: false };
  const watch = () => watchFetch(page as unknown as WatchedPage);
  watchRequests(page as unknown as WatchedPage);
  watch();
  return {
    page,
    course,
    sent,
    report: (length: number, init: RequestInit = {}) =>
      void course.fetch(STATEMENTS, { method: 'POST', body: 'x'.repeat(length), ...init }),
    respond: async () => {
      for (const resolve of responses.splice(0)) resolve(new Response('[]'));
      await setImmediate();
    },
    /** Shows the next page in the window. It gets no responses to the requests of the previous page. */
    showNextPage: () => {
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
  const { page, sent, report, showNextPage, respond } = watchedPage(t);
  report(40_000, { keepalive: true });
  showNextPage();
  page.mayLeave = true;
  report(40_000);
  assert.deepEqual(sent, [true, true]);
  showNextPage();
  // A response to a previous page frees no room of this one.
  await respond();
  report(60_000);
  report(1_000);
  assert.deepEqual(sent, [true, true, true, undefined]);
});

describe('a report of a page that is about to close takes no room that the course has taken', () => {
  const BODY = 'x'.repeat(40_000);
  const form = new FormData();
  form.set('statement', new Blob([BODY]));
  type Course = ReturnType<typeof watchedPage>['course'];
  const outliving = (course: Course, url: string) =>
    new course.Request(url, { method: 'POST', body: BODY, keepalive: true });
  for (const [what, take] of [
    ['with a Request', (course) => void course.fetch(outliving(course, STATEMENTS))],
    ['with a copy of a Request', (course) => void course.fetch(outliving(course, STATEMENTS).clone())],
    [
      'with a Request made from another one',
      (course) => void course.fetch(new course.Request(outliving(course, STATEMENTS))),
    ],
    ['with a Request to another server', (course) => void course.fetch(outliving(course, ELSEWHERE))],
    [
      'with a request to another server',
      (course) => void course.fetch(ELSEWHERE, { method: 'POST', body: BODY, keepalive: true }),
    ],
    ['with a beacon', (course) => void new course.Navigator().sendBeacon(STATEMENTS, BODY)],
    ['with a form in a beacon', (course) => void new course.Navigator().sendBeacon(STATEMENTS, form)],
    [
      'with a beacon to another server',
      (course) => void new course.Navigator().sendBeacon(ELSEWHERE, new Blob([BODY])),
    ],
  ] as const satisfies (readonly [string, (course: Course) => void])[]) {
    it(what, (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { page, course, sent, report } = watchedPage(t);
      take(course);
      page.mayLeave = true;
      report(30_000);
      assert.equal(sent.at(-1), undefined);
      report(10_000);
      assert.equal(sent.at(-1), true);
    });
  }
});

it('a beacon takes room until it has probably arrived', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { page, course, sent, report } = watchedPage(t);
  new course.Navigator().sendBeacon(STATEMENTS, 'x'.repeat(40_000));
  t.mock.timers.tick(BEACON_MS);
  await setImmediate();
  page.mayLeave = true;
  report(30_000);
  assert.deepEqual(sent, [true]);
});

it('a Request that does not outlive its page takes no room', (t) => {
  const { page, course, sent, report } = watchedPage(t);
  void course.fetch(new course.Request(STATEMENTS, { method: 'POST', body: 'x'.repeat(40_000) }));
  page.mayLeave = true;
  report(30_000);
  assert.equal(sent.at(-1), true);
});

for (const [what, other] of [
  ['an object of its own', { queryString: () => '' }],
  ['nothing', null],
] as const) {
  it(`a page that has ${what} in place of Request is still watched`, (t) => {
    const { page, course, sent, report } = watchedPage(t, { request: other });
    page.mayLeave = true;
    report(30_000);
    assert.deepEqual(sent, [true]);
    assert.equal(course.Request, other);
  });
}
