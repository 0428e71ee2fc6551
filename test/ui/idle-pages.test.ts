import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { MINUTE_MS, SECOND_MS } from '../../src/time/units.ts';
import { aroundTests } from '../support/around-tests.ts';
import { succeeds, until } from '../support/until.ts';
import { countOpenRequests, recordTransfers } from './support/transfers.ts';
import { startUi, type Ui } from './support/ui.ts';

// Needs a process of its own: nothing else may change what the pages show.

const WATCHED_SECONDS = 60;
const HIDE = `
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
  document.dispatchEvent(new Event('visibilitychange'));
`;

describe('an idle page', () => {
  let ui: Ui;
  let webhook: string;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    const { id } = await ui.service.api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: 'https://crm.example.com/hook',
      enabled: false,
    });
    webhook = `/administration/integrations/webhooks/${id}`;
  });

  /** The requests of a minute by the page's clock, which advances as fast as the responses arrive. */
  async function watch(address: string, { hidden = false } = {}) {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.clock.install();
    await page.goto(`${ui.service.url}/ui${address}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const open = countOpenRequests(page);
    const allArrive = () => until(() => open() === 0, 'every response has arrived');
    // From here on, the page's time passes only as the test lets it. Otherwise a busy machine would add requests.
    await pauseSoon(page);
    await allArrive();
    if (hidden) await page.evaluate(HIDE);
    const transfers = recordTransfers(page);
    for (let second = 0; second < WATCHED_SECONDS; second++) {
      await page.clock.runFor(1_000);
      await allArrive();
    }
    // A file of the UI is loaded once.
    const sent = (await transfers()).filter(({ path }) => !path.startsWith('/ui/assets/'));
    return { requests: sent.length, bytes: sent.reduce((sum, { bytes }) => sum + bytes, 0), sent };
  }

  /** Stops the page's clock within its first, fast seconds, unless the machine is too busy. */
  async function pauseSoon({ clock }: Page): Promise<void> {
    for (const inMs of [SECOND_MS, 10 * SECOND_MS])
      if (await succeeds(clock.pauseAt(Date.now() + inMs))) return;
    await clock.pauseAt(Date.now() + MINUTE_MS);
  }

  /** The number of requests in a minute if each query is repeated at its shortest interval. */
  for (const [what, address, everyTime] of [
    ['the dashboard', () => '/', 60],
    ['the page of a webhook', () => webhook, 187],
    ['its history', () => `${webhook}?tab=history`, 91],
  ] as const) {
    it(`sends less than half of the requests of ${what}, and most responses have no body`, async () => {
      const { requests, bytes, sent } = await watch(address());
      const list = sent.map(({ status, bytes: size, path }) => `${status} ${size} ${path}`).join('\n');
      assert.ok(requests > 0 && requests <= everyTime / 2, `${requests} requests, ${bytes} bytes:\n${list}`);
      const tagged = sent.filter(({ status }) => status === 304).length;
      assert.ok(tagged >= requests / 2, `${tagged} of ${requests}:\n${list}`);
    });
  }

  it('marks its requests as unattended, so that they do not prolong the session, until someone uses it', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    await page.clock.install();
    await page.goto(`${ui.service.url}/ui/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const nextIsUnattended = async (pass: () => Promise<unknown>) => {
      const sent = page.waitForRequest(/\/ui\/api\/session$/);
      await pass();
      return 'coursewire-unattended' in (await sent).headers();
    };
    const aMinute = () => page.clock.runFor(60_000);
    assert.equal(await nextIsUnattended(aMinute), false);
    await aMinute();
    assert.equal(await nextIsUnattended(aMinute), true);
    await page.mouse.move(100, 100);
    assert.equal(await nextIsUnattended(aMinute), false);
  });

  it('sends nothing while its tab is hidden', async () => {
    const { sent } = await watch(webhook, { hidden: true });
    assert.deepEqual(sent, []);
  });
});

it('an idle page adds the date to times of yesterday at midnight', async () => {
  await using ui = await startUi();
  const { api } = ui.service;
  const { id } = await api.create('/webhooks', {
    name: 'CRM',
    topic: 'ACCOUNT',
    target_url: 'https://crm.example.com/hook',
    paused: true,
  });
  await api.create('/accounts', { name: 'Northwind' });
  const { body: line } = await api.get(`/webhooks/${id}/line`);
  await api.post(`/webhooks/${id}/line/purge`);
  await using visit = await ui.visit('/profile');
  const { page } = visit;
  // In the time zone of the page.
  const late = await page.evaluate((event) => new Date(event).setHours(23, 58), line.oldest_dt as string);
  await page.clock.install({ time: late });
  // Timers that scripts started before would continue by the other clock.
  await page.goto(`${ui.service.url}/ui/administration/integrations/webhooks/${id}?tab=history`);
  const time = page.getByRole('listitem').filter({ hasText: 'Account created' }).locator('time');
  await time.getByText(/^\d{2}:\d{2}/).waitFor();
  await page.clock.fastForward('05:00');
  await time.getByText(/^\d{1,2} \w+, \d{2}:\d{2}/).waitFor();
});
