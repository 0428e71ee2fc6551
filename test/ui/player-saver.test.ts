import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Saver, type SavingState } from '../../web/player/src/saver.ts';
import { answerOfProxy, pageInNode, problem } from './support/page-in-node.ts';

const LONGEST_WAIT_MS = 15_000;

/** A page with one unit, which reports the value of `now.work`. */
function pageWithUnit(t: TestContext) {
  const page = pageInNode(t);
  const states: SavingState[] = [];
  const now = { work: '' };
  const saver = new Saver({
    owner: { registration: 'R', attempt: 1 },
    path: 'commit',
    unit: 'i1',
    page: 1,
    visit: 1,
    counter: { next: 1 },
    read: () => ({ cmi: { suspend_data: now.work }, terminated: false, elapsedMs: 1 }),
    onState: (state) => states.push(state),
  });
  const report = (work: string, how: 'value' | 'commit' | 'terminate' = 'terminate') => {
    now.work = work;
    saver.changed(how);
  };
  const sent = () => page.requests.map(({ body }) => body.cmi.suspend_data);
  return { page, saver, states, report, sent };
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
});
