import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MINUTE_MS } from '../../src/time/units.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { until } from '../support/until.ts';
import { startUi } from './support/ui.ts';

// Needs a process of its own: nothing else may change what the dashboard shows.

const WATCHED_SECONDS = 30;
/** How far the service's clock seems to be ahead, which depends on how long a response takes. */
const AHEAD_MS = [3_500, 2_500];
/** Responses say whole seconds of the service's clock. */
const IMPRECISE_SECONDS = 3;

/**
 * Counts requests in the page: a test learns of them later, when its clock may have advanced. A response that arrives after
 * that has an old time.
 */
function countOpenRequests(): void {
  const { fetch } = window;
  let open = 0;
  window.fetch = async (...request) => {
    open += 1;
    try {
      const response = await fetch(...request);
      await response.clone().arrayBuffer();
      return response;
    } finally {
      open -= 1;
    }
  };
  Object.assign(window, { hasNoOpenRequests: () => open === 0 });
}

it('the dashboard counts down to the next attempt although nothing else changes', async () => {
  await using ui = await startUi({ settings: { retry_initial_delay: 600, retry_max_delay: 600 } });
  await using target = await startTarget({ respondWith: answer(503) });
  const { api } = ui.service;
  await api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url: target.url });
  await api.create('/accounts', { name: 'Northwind' });
  await using visit = await ui.visit('/profile');
  const { page } = visit;
  await page.clock.install();
  await page.addInitScript(countOpenRequests);
  const isIdle = () => page.evaluate<boolean>('hasNoOpenRequests()');
  let unchanged = 0;
  // The service's clock advances with that of the page, with the precision of the header field.
  await page.route('**/ui/api/dashboard', async (route) => {
    const response = await route.fetch();
    const ahead = AHEAD_MS[unchanged % AHEAD_MS.length]!;
    const date = new Date((await page.evaluate<number>('Date.now()')) + ahead).toUTCString();
    if (response.status() === 304) unchanged += 1;
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });
  await page.goto(`${ui.service.url}/ui/`);
  const next = page.getByRole('region', { name: 'Blocked webhooks' }).getByText(/^in \d+\smin/);
  const left = async () => {
    const [, minutes, seconds = '0'] = /^in (\d+)\smin(?: (\d+)\ss)?$/.exec(await next.innerText())!;
    return Number(minutes) * 60 + Number(seconds);
  };
  await next.waitFor();
  // On a busy machine, a response would otherwise be older when it arrives, and with it the service's clock.
  await page.clock.pauseAt(Date.now() + MINUTE_MS);
  await until(isIdle, 'every response has arrived');
  const first = await left();
  let last = first;
  for (let passed = 1; passed <= WATCHED_SECONDS; passed++) {
    await page.clock.runFor(1_000);
    await until(isIdle, 'every response has arrived');
    const now = await left();
    assert.ok(now <= last, `${now} s are left after ${last} s`);
    last = now;
  }
  assert.ok(unchanged > 0, 'some responses had no body');
  const watched = first - last;
  assert.ok(
    watched >= WATCHED_SECONDS - IMPRECISE_SECONDS,
    `it counted ${watched} s in ${WATCHED_SECONDS} s`,
  );
});
