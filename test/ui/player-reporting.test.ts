import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Fate } from '../../web/player/src/report-fate.ts';
import { Reporting } from '../../web/player/src/reporting.ts';
import { Reports } from '../../web/player/src/reports.ts';

const REPEATED_MS = 3_000;
const OVERDUE_MS = 5_000;
const VIEW = { showReporting: () => {}, clearNotice: () => {}, showSending: () => {} };

it('a page asks once why reports fail, whether they are refused or lost', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const reports = new Reports();
  const poll = t.mock.fn(async () => {});
  new Reporting(reports, VIEW, { isReporting: () => true, poll });
  for (const fate of ['refused', 'lost', 'refused'] as const) {
    reports.onFailed(fate);
    t.mock.timers.tick(REPEATED_MS - 1);
    reports.onFailed(fate);
    t.mock.timers.tick(1);
  }
  assert.equal(poll.mock.callCount(), 3);
});

describe('what a page says once a unit is left that calls the service itself, while the connection is lost', () => {
  const put = (reports: Reports, path: string, fate: Fate | null) =>
    reports.begin({ method: 'PUT', url: new URL(`http://content/token/xapi/${path}`), body: '' })(fate);
  /** Leaves an open unit that has reported documents with these fates. */
  const leave = async (
    t: TestContext,
    fates: readonly (readonly [path: string, fate: Fate | null])[],
    asked: Promise<boolean> = Promise.resolve(false),
  ) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const reports = new Reports();
    const reporting = new Reporting(reports, VIEW, { isReporting: () => true, poll: async () => {} });
    put(reports, 'earlier unit', 'arrived');
    await reporting.end(Promise.resolve(true), true);
    reporting.begin(true);
    for (const each of fates) put(reports, ...each);
    return { reporting, doubt: reporting.end(asked, true) };
  };
  for (const [what, fates, doubt] of [
    [
      'nothing is lost if everything arrived',
      [
        ['a', 'arrived'],
        ['b', 'arrived'],
      ],
      null,
    ],
    [
      'work may be lost if nobody knows the fate of something',
      [
        ['a', null],
        ['b', 'arrived'],
      ],
      'lost',
    ],
    [
      'nothing is lost if that arrived later',
      [
        ['a', null],
        ['a', 'arrived'],
      ],
      null,
    ],
    [
      'work may be lost if something is lost',
      [
        ['a', 'lost'],
        ['b', 'refused'],
      ],
      'lost',
    ],
    [
      'what is refused is known',
      [
        ['a', 'refused'],
        ['b', 'arrived'],
      ],
      'refused',
    ],
    ['work may be lost if the unit reported nothing that the page could see', [], 'lost'],
  ] as const) {
    it(what, async (t) => assert.equal(await (await leave(t, fates)).doubt, doubt));
  }

  it('comes after a few seconds if everything arrived', async (t) => {
    const { doubt } = await leave(t, [['a', 'arrived']], new Promise(() => {}));
    t.mock.timers.tick(OVERDUE_MS);
    assert.equal(await doubt, null);
  });

  it('stays the same if the learner exits after the window of the unit was closed', async (t) => {
    const { reporting, doubt } = await leave(t, [['a', 'arrived']]);
    await doubt;
    assert.equal(await reporting.end(Promise.resolve(false), true), null);
  });
});
