import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REQUEST_DEADLINE_MS } from '../../src/http/server-options.ts';
import { SLOWEST_BYTES_PER_MS } from '../../src/player/slow-connection.ts';
import { sendingMs } from '../../web/player/src/server.ts';
import { answerOfProxy, problem } from './support/page-in-node.ts';
import { pageWithUnit } from './support/page-with-unit.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

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

  it('keeps the latest report if a response is overdue while there is more to save', async (t) => {
    const { page, saver, report } = pageWithUnit(t);
    page.answer = () => new Promise(() => {});
    report('essay');
    await page.pass(0);
    report('longer essay');
    saver.overdue();
    assert.match(Object.values(page.kept).join(), /longer essay/);
  });

  it('keeps what it can, and does not say that all is kept, if the launch expires and the latest work has no room', async (t) => {
    const { page, saver, states, report } = pageWithUnit(t);
    const late = Promise.withResolvers<Response>();
    page.answer = () => late.promise;
    report('short');
    await page.pass(0);
    report('x'.repeat(5_000_000), 'value');
    late.resolve(problem(410));
    await page.pass(0);
    assert.deepEqual([states, saver.isUnkept], [['saving', 'over'], true]);
    assert.match(Object.values(page.kept).join(), /short/);
    report('y'.repeat(5_000_000));
    await page.pass(0);
    assert.match(Object.values(page.kept).join(), /short/, 'also after the course has reported more');
  });

  it('says that not all is kept if what a course reports after its launch has expired has no room', async (t) => {
    const { page, saver, states, report } = pageWithUnit(t);
    page.answer = () => problem(410);
    report('short');
    await page.pass(0);
    assert.deepEqual([states, saver.isUnkept], [['saving', 'expired'], false]);
    report('x'.repeat(5_000_000));
    await page.pass(0);
    assert.deepEqual([states.at(-1), saver.isUnkept], ['over', true]);
    assert.match(Object.values(page.kept).join(), /short/);
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
    assert.match(Object.values(page.kept).join(), /good/, 'the browser itself may end before that');
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

  it('sends at once, when the unit is left, what was reported while a rejection was on its way', async (t) => {
    const { page, saver, report, sent } = pageWithUnit(t);
    const late = Promise.withResolvers<Response>();
    page.answer = () => late.promise;
    report('bad');
    await page.pass(0);
    report('better');
    let isSettled = false;
    void saver.settled().then(() => {
      isSettled = true;
    });
    page.answer = () => Response.json({ outcome: 'recorded' });
    late.resolve(problem(400));
    await page.pass(0);
    await page.pass(0);
    assert.deepEqual([sent(), isSettled, saver.isRefused], [['bad', 'better'], true, false]);
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

  it('shows that all is saved, and forgets it, only once the newest of several saves has a response', async (t) => {
    const { page, report, sent, states } = pageWithUnit(t);
    const answers: ((response: Response) => void)[] = [];
    page.answer = () => new Promise((resolve) => answers.push(resolve));
    report('first');
    await page.pass(0);
    report('second', 'value');
    await page.hide();
    await page.show();
    assert.deepEqual(sent(), ['first', 'second']);
    answers[0]?.(Response.json({ outcome: 'recorded' }));
    await page.pass(0);
    assert.ok(!states.includes('saved'));
    assert.equal(Object.keys(page.kept).length, 1, 'the browser still keeps the newest');
    answers[1]?.(Response.json({ outcome: 'recorded' }));
    await page.pass(0);
    assert.equal(states.at(-1), 'saved');
    assert.equal(Object.keys(page.kept).length, 0);
  });

  it('is tried again as soon as a page comes back that could not send while it was left', async (t) => {
    const { page, report, sent, states } = pageWithUnit(t);
    page.answer = () => problem(503);
    report('work', 'value');
    await page.fire('pagehide');
    await page.pass(0);
    page.answer = () => Response.json({ outcome: 'recorded' });
    await page.fire('pageshow');
    await page.pass(0);
    assert.deepEqual(sent(), ['work', 'work']);
    assert.equal(states.at(-1), 'saved');
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

  it('is tried again once the connection is back, though an earlier request never gets a response', async (t) => {
    const { page, states, report, sent } = pageWithUnit(t);
    page.answer = () => new Promise(() => {});
    report('work');
    await page.pass(0);
    page.answer = () => Response.json({ outcome: 'recorded' });
    await page.fire('online');
    await page.pass(FIRST_WAIT_MS);
    assert.deepEqual([sent(), states.at(-1)], [['work', 'work'], 'saved']);
  });

  it('waits, and tries again, as before once the page has come back from the cache of the browser', async (t) => {
    const { page, report, sent } = pageWithUnit(t);
    await page.fire('pagehide');
    await page.fire('pageshow');
    page.answer = () => problem(503);
    report('work', 'commit');
    await page.pass(0);
    assert.deepEqual(sent(), [''], 'the time of the unit');
    await page.pass(LONGEST_WAIT_MS);
    page.answer = () => Response.json({ outcome: 'recorded' });
    await page.pass(LONGEST_WAIT_MS);
    assert.deepEqual(sent(), ['', 'work', 'work']);
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
