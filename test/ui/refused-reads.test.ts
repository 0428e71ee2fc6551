import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { PROBLEM_TYPE } from '../../web/src/api/errors.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const DEAD_LETTERS = '/administration/integrations/dead-letters';
/** Longer than until any page reads its data again. */
const NEXT_READ_MS = 31_000;

const problem = (status: number, code: string, detail: string) => ({
  status,
  json: { type: `${PROBLEM_TYPE}${code}`, title: code, status, detail },
});
const UNAVAILABLE = problem(503, 'unavailable', 'The database is temporarily unavailable');
const UNAVAILABLE_WORDS = 'The service cannot send current data: The database is temporarily unavailable.';

/** Finds the notice of the frame, which only says once that data is old. */
const noticeOf = (page: Page, words: string) =>
  page.getByRole('status').getByText(`${words} What you see may be out of date. Retrying…`);

describe('a page whose data the service refuses to send again', () => {
  let ui: Ui;
  let id: number;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    const target = { topic: 'ACCOUNT', target_url: 'https://crm.example.com/hook', paused: true };
    ({ id } = await ui.service.api.create('/webhooks', { name: 'CRM', ...target }));
  });

  it('says so and why, although other requests succeed, until the service sends it again', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await page.getByText('No messages waiting', { exact: true }).waitFor();
    let answer = UNAVAILABLE;
    await page.route(`${ui.service.url}/webhooks/${id}`, (route) => route.fulfill(answer));
    await noticeOf(page, UNAVAILABLE_WORDS).waitFor();
    await visit.assertAccessible();
    await page.getByRole('heading', { level: 1, name: 'CRM' }).waitFor();
    answer = problem(500, 'internal-error', 'The request failed. See the service log for the cause');
    const failed = noticeOf(
      page,
      'The service failed to send current data. If this lasts, look for the cause in the service log.',
    );
    await failed.waitFor();
    answer = problem(429, 'too-many-requests', 'Too many requests');
    const refused = noticeOf(
      page,
      'The service cannot send current data, because it received too many requests.',
    );
    await refused.waitFor();
    await page.unroute(`${ui.service.url}/webhooks/${id}`);
    await page.getByText('What you see may be out of date').waitFor({ state: 'detached' });
  });

  it('says so above an empty list, which may have entries by now, and on the dashboard and other pages, and only once', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.clock.install();
    // The last member is shown only once the data has arrived.
    for (const [address, request, shown] of [
      [DEAD_LETTERS, '**/ui/api/dead-letters?*', 'No dead letters'],
      [WEBHOOKS, '**/ui/api/webhooks?*', 'CRM'],
      ['/', '**/ui/api/dashboard', 'At a glance'],
      ['/administration/system', '**/ui/api/health', 'Storage and queue'],
    ] as const) {
      await visit.go(address);
      const content = page.getByText(shown).or(page.getByLabel(shown)).first();
      await content.waitFor();
      await page.route(request, (route) => route.fulfill(UNAVAILABLE));
      await page.clock.runFor(NEXT_READ_MS);
      await noticeOf(page, UNAVAILABLE_WORDS).waitFor();
      await content.waitFor();
      assert.equal(await page.getByRole('alert').count(), 0, `${address} says it twice`);
      await page.unroute(request);
      await page.clock.runFor(NEXT_READ_MS);
      await page.getByText('What you see may be out of date').waitFor({ state: 'detached' });
    }
  });

  it('says so above an empty list if the person may no longer see it', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.clock.install();
    await visit.go(DEAD_LETTERS);
    await page.getByText('No dead letters').waitFor();
    await page.route('**/ui/api/dead-letters?*', (route) =>
      route.fulfill(problem(403, 'forbidden', 'Your role does not include this')),
    );
    await page.clock.runFor(NEXT_READ_MS);
    await page.getByRole('alert').getByText('You do not have permission to do this').waitFor();
    await page.getByText('No dead letters').waitFor();
    await visit.assertAccessible();
    assert.equal(await page.getByText('What you see may be out of date').count(), 0);
  });
});
