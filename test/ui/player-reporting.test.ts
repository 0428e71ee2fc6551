import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Reporting } from '../../web/player/src/reporting.ts';
import { Reports } from '../../web/player/src/reports.ts';

const REPEATED_MS = 3_000;

it('a page asks once why reports fail, whether they are refused or lost', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const reports = new Reports();
  const poll = t.mock.fn(async () => {});
  const view = { showReporting: () => {}, clearNotice: () => {}, showSending: () => {} };
  new Reporting(reports, view, { isReporting: () => true, poll });
  for (const fate of ['refused', 'lost', 'refused'] as const) {
    reports.onFailed(fate);
    t.mock.timers.tick(REPEATED_MS - 1);
    reports.onFailed(fate);
    t.mock.timers.tick(1);
  }
  assert.equal(poll.mock.callCount(), 3);
});
