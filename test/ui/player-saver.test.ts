import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { REQUEST_DEADLINE_MS } from '../../src/http/server-options.ts';
import { SLOWEST_BYTES_PER_MS } from '../../src/player/slow-connection.ts';
import { LastRequestQueue } from '../../web/player/src/last-request-queue.ts';
import { Reports } from '../../web/player/src/reports.ts';
import { Saver, type SavingState } from '../../web/player/src/saver.ts';
import { sendingMs } from '../../web/player/src/server.ts';
import { answerOfProxy, pageInNode, problem } from './support/page-in-node.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** Browsers let a page that is being closed send 64 KiB in total. */
const MOST_AT_ONCE = 64 * 1024;

/** A page with one unit, which reports the value of `now.work`. */
function pageWithUnit(t: TestContext) {
  const page = pageInNode(t);
  const states: SavingState[] = [];
  const now = { work: '', isRunning: true, others: {}, state: undefined as unknown };
  const saver = new Saver({
    owner: { registration: 'R', attempt: 1 },
    path: 'commit',
    unit: 'i1',
    page: 1,
    visit: 1,
    counter: { next: 1 },
    read: () => ({
      cmi: { suspend_data: now.work, ...now.others },
      terminated: !now.isRunning,
      elapsedMs: Math.round(performance.now()),
      ...(now.state === undefined ? {} : { state: now.state }),
    }),
    isRunning: () => now.isRunning,
    onState: (state) => states.push(state),
  });
  const report = (work: string, how: 'value' | 'commit' | 'terminate' = 'terminate') => {
    now.work = work;
    saver.changed(how);
  };
  const sent = () => page.requests.map(({ body }) => body?.cmi?.suspend_data);
  const times = () => page.requests.map(({ body }) => body?.elapsedMs);
  return { page, saver, states, report, sent, times, now };
}

/** The response of the service once another window records. */
const superseded = () => Response.json({ outcome: 'superseded' }, { status: 409 });

describe('the saving of a unit', () => {
  it('waits for a response no longer than the service waits for the rest of the request', () => {
    const bytes = 1_000_000;
    const servedMs = REQUEST_DEADLINE_MS + bytes / SLOWEST_BYTES_PER_MS;
    assert.ok(sendingMs(bytes, LONGEST_WAIT_MS / FIRST_WAIT_MS) < servedMs);
  });

  for (const [what, answer] of [
    ['a firewall rejects one save', () => answerOfProxy(403)],
    ['a single sign-on asks to sign in', () => answerOfProxy(401)],
    ['a proxy finds a save too large', () => answerOfProxy(413)],
    ['a page to sign in comes instead', () => answerOfProxy(200)],
  ] as const) {
    it(`is tried again, and nothing is forgotten, if ${what}`, async (t) => {
      const { page, states, report, sent } = pageWithUnit(t);
      page.answer = answer;
      report('essay');
      await page.pass(0);
      assert.deepEqual(states, ['saving', 'offline']);
      assert.equal(Object.keys(page.kept).length, 1);
      page.answer = () => Response.json({ outcome: 'recorded' });
      await page.pass(1_000);
      assert.deepEqual(sent(), ['essay', 'essay']);
      assert.equal(states.at(-1), 'saved');
      assert.equal(Object.keys(page.kept).length, 0);
    });
  }

  it('does not say that the work is kept if the browser has no room for it, until it has', async (t) => {
    const { page, saver, states, report } = pageWithUnit(t);
    page.answer = () => Promise.reject(new TypeError('network'));
    report('x'.repeat(5_000_000));
    await page.pass(0);
    assert.deepEqual([states, saver.isUnkept], [['saving', 'unkept'], true]);
    report('short');
    await page.pass(LONGEST_WAIT_MS);
    assert.deepEqual([states.at(-1), saver.isUnkept], ['offline', false]);
    page.answer = () => Response.json({ outcome: 'recorded' });
    await page.pass(LONGEST_WAIT_MS);
    assert.deepEqual([states.at(-1), saver.isUnkept], ['saved', false]);
  });

  it('is overdue if a learner waits for it, until its response arrives after all', async (t) => {
    const { page, saver, states, report, sent } = pageWithUnit(t);
    const late = Promise.withResolvers<Response>();
    page.answer = () => late.promise;
    saver.overdue();
    report('essay');
    await page.pass(0);
    saver.overdue();
    saver.overdue();
    assert.deepEqual([states, saver.hasFailed], [['saving', 'offline'], true]);
    assert.match(Object.values(page.kept).join(), /"isPromised":true/);
    late.resolve(Response.json({ outcome: 'recorded' }));
    await page.pass(0);
    assert.deepEqual([states.at(-1), saver.hasFailed], ['saved', false]);
    assert.deepEqual([sent(), Object.keys(page.kept)], [['essay'], []]);
  });

  it('continues with the next report, though not at once, after the service has rejected one', async (t) => {
    const { page, saver, states, report, sent } = pageWithUnit(t);
    page.answer = () => problem(400);
    report('bad');
    await page.pass(0);
    assert.deepEqual(states, ['saving', 'refused']);
    assert.equal(saver.isRefused, true);
    await page.pass(10 * LONGEST_WAIT_MS);
    assert.deepEqual(sent(), ['bad'], 'the same data is not sent again');
    page.answer = () => Response.json({ outcome: 'recorded' });
    report('good', 'commit');
    await page.pass(LONGEST_WAIT_MS - 1);
    assert.deepEqual(sent(), ['bad']);
    await page.pass(1);
    assert.deepEqual(sent(), ['bad', 'good']);
    assert.equal(states.at(-1), 'saved');
    assert.equal(saver.isRefused, false);
  });

  it('sends what was reported since a rejection when the unit is left, and waits only for that response', async (t) => {
    const { page, saver, report, sent } = pageWithUnit(t);
    page.answer = () => problem(400);
    report('bad');
    await page.pass(0);
    report('worse');
    const settled = saver.settled();
    await page.pass(0);
    await settled;
    assert.deepEqual(sent(), ['bad', 'worse']);
    assert.deepEqual([saver.isRefused, Object.keys(page.kept)], [true, []]);
  });

  it('is not settled while a save of the hidden page has no response, and is tried again if that fails', async (t) => {
    const { page, saver, report, sent } = pageWithUnit(t);
    const answers: ((response: Response) => void)[] = [];
    page.answer = () => new Promise((resolve) => answers.push(resolve));
    report('work', 'value');
    await page.hide();
    await page.show();
    let isSettled = false;
    void saver.settled().then(() => {
      isSettled = true;
    });
    await page.pass(0);
    assert.deepEqual([sent(), isSettled], [['work'], false]);
    answers[0]?.(problem(503));
    await page.pass(0);
    await page.pass(LONGEST_WAIT_MS);
    assert.deepEqual([sent(), isSettled], [['work', 'work'], false]);
    answers[1]?.(Response.json({ outcome: 'recorded' }));
    await page.pass(0);
    assert.equal(isSettled, true);
  });

  it('sends what was reported since a rejection when the tab is closed', async (t) => {
    const { page, report, sent } = pageWithUnit(t);
    page.answer = () => problem(400);
    report('bad');
    await page.pass(0);
    report('better');
    await page.fire('pagehide');
    assert.deepEqual(sent(), ['bad', 'better']);
  });

  it('sends the time of a unit that reports nothing when its tab is hidden or closed', async (t) => {
    const { page, times } = pageWithUnit(t);
    await page.pass(5_000);
    await page.hide();
    assert.deepEqual(times(), [6_000]);
    await page.pass(60_000);
    await page.fire('pagehide');
    assert.deepEqual(times(), [6_000, 66_000]);
    assert.equal(page.requests.at(-1)?.keepalive, true);
    assert.deepEqual(Object.keys(page.kept), []);
  });

  it('sends no time again at once, nor of a unit that has ended', async (t) => {
    const { page, times, report, now } = pageWithUnit(t);
    report('work');
    await page.pass(0);
    await page.hide();
    await page.fire('pagehide');
    assert.deepEqual(times(), [1_000]);
    now.isRunning = false;
    report('end');
    await page.pass(60_000);
    assert.equal(times().length, 2);
    await page.pass(60_000);
    await page.fire('pagehide');
    assert.equal(times().length, 2);
  });

  it('leaves room for the last requests of a course if much of its data is already saved', async (t) => {
    const { page, report } = pageWithUnit(t);
    report('x'.repeat(50_000));
    await page.pass(0);
    await page.pass(60_000);
    await page.fire('pagehide');
    report(`${'x'.repeat(50_000)}, last words`);
    const sizes = page.requests
      .filter(({ keepalive }) => keepalive)
      .map(({ body }) => JSON.stringify(body).length);
    assert.equal(sizes.length, 2);
    assert.ok(sizes.reduce((sum, size) => sum + size) < MOST_AT_ONCE, `${sizes}`);
  });

  it('leaves room for the last requests of a course if nothing was saved in this visit', async (t) => {
    const { page, report, now } = pageWithUnit(t);
    now.others = { interactions: 'x'.repeat(40_000) };
    await page.pass(60_000);
    await page.fire('pagehide');
    report('last words');
    const sent = page.requests.map(({ body, keepalive }) => [body?.cmi?.suspend_data, keepalive]);
    assert.deepEqual(sent, [['last words', true]]);
  });

  for (const [what, isUnsaved] of [
    ['of which all is saved', false],
    ['of which some is not saved yet', true],
  ] as const) {
    it(`leaves room for the end of a course that commits before it, ${what}`, async (t) => {
      const { page, report, now } = pageWithUnit(t);
      report('x'.repeat(50_000));
      await page.pass(0);
      page.answer = () => new Promise(() => {});
      if (isUnsaved) report(`${now.work}, more`, 'value');
      await page.fire('pagehide');
      report(`${now.work}, last words`, 'commit');
      now.isRunning = false;
      report(now.work);
      const sent = page.requests.filter(({ keepalive }) => keepalive).map(({ body }) => body);
      const bytes = sent.reduce((sum, body) => sum + JSON.stringify(body).length, 0);
      assert.ok(bytes < MOST_AT_ONCE, `${bytes}`);
      assert.deepEqual(
        sent.map((body) => body?.terminated),
        isUnsaved ? [false, false, true] : [false, true],
      );
    });
  }

  it('shares the room with the last requests of a course that also calls the service itself', async (t) => {
    const { page, report, now } = pageWithUnit(t);
    report('x'.repeat(35_000));
    await page.pass(0);
    page.answer = () => new Promise(() => {});
    const queue = new LastRequestQueue(new Reports());
    const statement = JSON.stringify('x'.repeat(40_000));
    const url = new URL('http://content/token/xapi/statements');
    const request = { method: 'POST', url, headers: [], body: statement, bytes: statement.length };
    void queue.add(request, window);
    queue.pageCloses();
    await page.fire('pagehide');
    report(`${now.work}!`);
    assert.deepEqual(
      page.requests.map(({ body, keepalive }) => [body?.isChange, keepalive]),
      [
        [undefined, false],
        [undefined, true],
        [true, true],
      ],
    );
  });

  it('sends the time of a unit once, and keeps nothing, if its sequencing does not fit in the request', async (t) => {
    const { page, report, now, states } = pageWithUnit(t);
    now.state = 'x'.repeat(12_000);
    page.answer = () => {
      const { isChange, state } = page.requests.at(-1)?.body ?? {};
      return Response.json({ outcome: isChange && state === undefined ? 'recorded-in-part' : 'recorded' });
    };
    report('work');
    await page.pass(0);
    for (let times = 2; times < 20; times++) {
      await page.pass(60_000);
      await page.hide();
      await page.pass(LONGEST_WAIT_MS);
      assert.equal(page.requests.length, times);
    }
    await page.pass(60_000);
    await page.fire('pagehide');
    assert.deepEqual([page.requests.length, Object.keys(page.kept)], [20, []]);
    assert.deepEqual(states, ['saving', 'saved']);
  });

  it('stays refused, and waits for nothing, if an earlier commit is acknowledged after that', async (t) => {
    const { page, saver, states, report } = pageWithUnit(t);
    const earlier = Promise.withResolvers<Response>();
    page.answer = () => earlier.promise;
    report('work', 'value');
    await page.hide();
    await page.show();
    page.answer = () => problem(400);
    report('bad');
    await page.pass(0);
    assert.deepEqual(states, ['saving', 'refused']);
    earlier.resolve(Response.json({ outcome: 'recorded' }));
    await page.pass(0);
    assert.equal(saver.isRefused, true);
    let isSettled = false;
    void saver.settled().then(() => {
      isSettled = true;
    });
    await page.pass(10 * LONGEST_WAIT_MS);
    assert.equal(isSettled, true);
    assert.equal(page.requests.length, 2);
  });

  it('ends if another window records instead, which it learns when its tab is hidden', async (t) => {
    const { page, states } = pageWithUnit(t);
    page.answer = superseded;
    await page.pass(60_000);
    await page.hide();
    assert.deepEqual(states, ['superseded']);
  });

  it('is refused, and no other window has taken over, if the unit has been closed in the meantime', async (t) => {
    const { page, states, report } = pageWithUnit(t);
    page.answer = () => problem(409, { reason: 'unit-closed' });
    report('work');
    await page.pass(0);
    assert.deepEqual(states, ['saving', 'refused']);
  });

  it('is known to have failed until the service has acknowledged it, and when another window has taken over', async (t) => {
    const { page, saver, report } = pageWithUnit(t);
    assert.equal(saver.hasFailed, false);
    page.answer = () => Promise.reject(new TypeError('network'));
    report('work');
    await page.pass(0);
    assert.equal(saver.hasFailed, true);
    page.answer = () => Response.json({ outcome: 'recorded' });
    await page.fire('online');
    await page.pass(0);
    assert.equal(saver.hasFailed, false);
    page.answer = () => Promise.reject(new TypeError('network'));
    report('more work');
    await page.pass(0);
    page.answer = superseded;
    await page.fire('online');
    await page.pass(0);
    assert.equal(saver.hasFailed, true);
  });

  it('does not repeat the time of a unit if the connection is lost', async (t) => {
    const { page, states } = pageWithUnit(t);
    page.answer = () => Promise.reject(new TypeError('network'));
    await page.pass(60_000);
    await page.hide();
    await page.pass(10 * LONGEST_WAIT_MS);
    assert.deepEqual([page.requests.length, states, Object.keys(page.kept)], [1, [], []]);
  });

  it('sends no time while earlier data has no response yet, because the service would then ignore that data', async (t) => {
    const { page, report } = pageWithUnit(t);
    page.answer = () => new Promise(() => {});
    report('work', 'value');
    await page.hide();
    await page.pass(5_000);
    await page.hide();
    assert.equal(page.requests.length, 1);
  });
});
