import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Saver, type SavingState } from '../../web/player/src/saver.ts';
import { answerOfProxy, pageInNode, problem } from './support/page-in-node.ts';

const LONGEST_WAIT_MS = 15_000;

/** Browsers let a page that is being closed send 64 KiB in total. */
const MOST_AT_ONCE = 64 * 1024;

/** A page with one unit, which reports the value of `now.work`. */
function pageWithUnit(t: TestContext) {
  const page = pageInNode(t);
  const states: SavingState[] = [];
  const now = { work: '', isRunning: true };
  const saver = new Saver({
    owner: { registration: 'R', attempt: 1 },
    path: 'commit',
    unit: 'i1',
    page: 1,
    visit: 1,
    counter: { next: 1 },
    read: () => ({
      cmi: { suspend_data: now.work },
      terminated: !now.isRunning,
      elapsedMs: Math.round(performance.now()),
    }),
    isRunning: () => now.isRunning,
    onState: (state) => states.push(state),
  });
  const report = (work: string, how: 'value' | 'commit' | 'terminate' = 'terminate') => {
    now.work = work;
    saver.changed(how);
  };
  const sent = () => page.requests.map(({ body }) => body.cmi.suspend_data);
  const times = () => page.requests.map(({ body }) => body.elapsedMs);
  return { page, saver, states, report, sent, times, now };
}

describe('the saving of a unit', () => {
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

  it('goes on with the next report, though not at once, after the service has rejected one', async (t) => {
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

  it('sends what was reported since a rejection when the unit is left, and waits no longer than for its answer', async (t) => {
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

  it('leaves room for the last words of a course, of which much is already saved', async (t) => {
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
});
