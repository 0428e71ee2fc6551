import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { LastRequestQueue } from '../../web/player/src/last-request-queue.ts';
import { Reports } from '../../web/player/src/reports.ts';
import { answerOfProxy, problem } from './support/page-in-node.ts';

interface Sent {
  by: 'player' | 'course';
  body: string;
  /** The random id and the number of its header; empty without one. */
  order: [id: string, number: string];
  keepalive: boolean;
  answer: PromiseWithResolvers<Response>;
}

/** The responses of the service to an AICC message, and to other reports, when it has stored them. */
const arrived = () => new Response('error=0\r\n');
const stored = () => new Response(null, { status: 204, headers: { 'x-experience-api-version': '1.0.3' } });

/** A queue on a page without a network: the test answers the requests. */
function queueOf(t: TestContext) {
  // Deadlines of requests without an answer would keep the process running.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent: Sent[] = [];
  const fetchOf = (by: Sent['by']) =>
    ((_url: string, { headers, body, keepalive }: RequestInit) => {
      const header = new Headers(headers).get('Coursewire-Last-Request') ?? '';
      const answer = Promise.withResolvers<Response>();
      const [id = '', number = ''] = header.split(' ');
      sent.push({ by, body: String(body), order: [id, number], keepalive: keepalive === true, answer });
      return answer.promise;
    }) as typeof fetch;
  const page = Object.assign(new EventTarget(), { fetch: fetchOf('player') });
  for (const [name, value] of [
    ['window', page],
    ['addEventListener', page.addEventListener.bind(page)],
  ] as const) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
    t.after(() => Reflect.deleteProperty(globalThis, name));
  }
  const reports = new Reports();
  const queue = new LastRequestQueue(reports);
  const course = { fetch: fetchOf('course'), document: null };
  const add = (body: string, bytes = body.length, { method = 'POST', path = 'aicc' } = {}) =>
    void queue.add(
      { method, url: new URL(`http://content/token/${path}`), headers: [], body, bytes },
      course,
    );
  /** Answers a request, and lets the queue continue. */
  const answer = async (at: number, response: Response = arrived()) => {
    sent[at]?.answer.resolve(response);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    queue,
    reports,
    course,
    sent,
    add,
    answer,
    goBack: () => page.dispatchEvent(new Event('pageshow')),
  };
}

const bodies = (sent: readonly Sent[]) => sent.map(({ body }) => body);
const numbers = (sent: readonly Sent[]) => sent.map(({ order: [, number] }) => number);
const ids = (sent: readonly Sent[]) => new Set(sent.map(({ order: [id] }) => id));

describe('the last requests of a course', () => {
  it('are sent one after the other while the page of the player stays', async (t) => {
    const { reports, sent, add, answer } = queueOf(t);
    add('PutParam');
    add('ExitAU');
    assert.deepEqual(bodies(sent), ['PutParam']);
    await answer(0, problem(413));
    assert.deepEqual(
      bodies(sent),
      ['PutParam', 'ExitAU'],
      'the service has responded, though it refused one',
    );
    assert.equal(reports.isPending, true);
    await answer(1);
    assert.equal(reports.isPending, false);
    assert.equal(reports.take(), 'refused');
    // Neither waits for another one, on any instance of the service.
    assert.deepEqual(numbers(sent), ['1', '1']);
    assert.equal(ids(sent).size, 2);
  });

  it('have any size while the page of the player stays, and share the room with others once it goes', async (t) => {
    const { queue, course, sent, add } = queueOf(t);
    assert.equal(queue.takes(70_000, course), true);
    add('PutParam', 70_000);
    queue.pageCloses();
    assert.equal(queue.takes(70_000, course), false);
    assert.equal(queue.takes(50_000, course), true);
    assert.deepEqual(
      sent.map(({ keepalive }) => keepalive),
      [false],
    );
  });

  it('share the amount that browsers let one page send while it closes', async (t) => {
    const { queue, course, add, answer } = queueOf(t);
    queue.pageCloses();
    add('PutParam', 40_000);
    assert.equal(
      queue.takes(40_000, course),
      false,
      'the browser would refuse it, so the course must hear that',
    );
    assert.equal(queue.takes(20_000, course), true);
    assert.equal(queue.takes(40_000, { fetch, document: null }), true, 'another page has its own limit');
    await answer(0);
    assert.equal(queue.takes(40_000, course), true);
  });

  it('are not refused together if they are too large together when the page of the player goes', async (t) => {
    const { queue, sent, add } = queueOf(t);
    for (const body of ['a', 'b', 'c']) add(body, 25_000);
    queue.pageCloses();
    assert.deepEqual(
      sent.map(({ keepalive }) => keepalive),
      [true, true, false],
    );
  });

  it('are all sent at once and numbered when the page of the player goes', async (t) => {
    const { queue, sent, add, answer } = queueOf(t);
    for (const body of ['a', 'b', 'c']) add(body);
    queue.pageCloses();
    await answer(0);
    add('d');
    assert.deepEqual(bodies(sent), ['a', 'b', 'c', 'd']);
    assert.deepEqual(numbers(sent), ['1', '2', '3', '4']);
    assert.equal(ids(sent).size, 1);
    assert.match([...ids(sent)].join(), /^[0-9a-f]{24}$/);
    assert.deepEqual(
      sent.map(({ by, keepalive }) => [by, keepalive]),
      [
        ['player', true],
        ['player', true],
        ['player', true],
        ['course', true],
      ],
    );
  });

  it('are not numbered if they change nothing, since the service does not wait for those', async (t) => {
    const { queue, sent, add } = queueOf(t);
    queue.pageCloses();
    for (const [method, path] of [
      ['GET', 'content/status.htm'],
      ['POST', 'content/log.php'],
      ['POST', 'content/xapi/log.php'],
      ['POST', 'log.php'],
      ['POST', 'aicc'],
      ['get', 'xapi/activities/state?stateId=bookmark'],
      ['PUT', 'xapi/activities/state?stateId=bookmark'],
      ['POST', 'xapi/statements'],
    ] as const) {
      add(`${method} ${path}`, 0, { method, path });
    }
    assert.deepEqual(numbers(sent), ['', '', '', '', '1', '', '2', '3']);
    assert.deepEqual(
      sent.map(({ keepalive }) => keepalive),
      sent.map(() => true),
    );
  });

  it('are sent one after the other again if the browser brings the page back', async (t) => {
    const { queue, sent, add, answer, goBack } = queueOf(t);
    queue.pageCloses();
    add('a');
    goBack();
    add('b');
    add('c');
    assert.deepEqual(bodies(sent), ['a', 'b']);
    await answer(1);
    assert.deepEqual(numbers(sent), ['1', '1', '1']);
    assert.equal(ids(sent).size, 3);
  });

  it('do not wait for a request that reports nothing, and it may fail', async (t) => {
    const { reports, sent, add, answer } = queueOf(t);
    add('', 0, { method: 'GET', path: 'xapi/activities/state?stateId=bookmark' });
    assert.equal(reports.isPending, false, 'the learner waits for nothing');
    add('bookmark', 8, { method: 'PUT', path: 'xapi/activities/state?stateId=bookmark' });
    assert.deepEqual(
      bodies(sent),
      ['null', 'bookmark'],
      'fetch rejects a read with a body, even an empty one',
    );
    await answer(0, problem(503));
    await answer(1, stored());
    assert.deepEqual([reports.isPending, reports.take()], [false, null]);
  });

  for (const [what, fail] of [
    ['the connection is lost', (sent: Sent | undefined) => sent?.answer.reject(new TypeError('network'))],
    ['a proxy refuses', (sent: Sent | undefined) => sent?.answer.resolve(answerOfProxy(404))],
    ['a proxy answers', (sent: Sent | undefined) => sent?.answer.resolve(answerOfProxy(200))],
    ['the service cannot write', (sent: Sent | undefined) => sent?.answer.resolve(problem(503))],
  ] as const) {
    it(`are lost if ${what}, and what follows is not sent`, async (t) => {
      const { reports, sent, add, answer } = queueOf(t);
      add('PutParam');
      add('ExitAU');
      fail(sent[0]);
      await reports.settled();
      assert.equal(reports.take(), 'lost');
      assert.deepEqual(bodies(sent), ['PutParam']);
      add('PutParam again');
      await answer(1);
      assert.equal(reports.take(), null, 'it was reported before');
    });
  }
});
