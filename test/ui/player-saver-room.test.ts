import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LastRequestQueue } from '../../web/player/src/last-request-queue.ts';
import { Reports } from '../../web/player/src/reports.ts';
import { pageWithUnit } from './support/page-with-unit.ts';

const LONGEST_WAIT_MS = 15_000;

/** Browsers let a page that is being closed send 64 KiB in total. */
const MOST_AT_ONCE = 64 * 1024;

describe('the saving of a unit whose page is being closed', () => {
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
});
