import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

const ADMINISTRATION = '/administration';

describe('the page of a record that does not exist', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  for (const [address, requested, heading, way] of [
    [
      `${ADMINISTRATION}/integrations/webhooks/4711`,
      /\/webhooks\/4711$/,
      'Webhook not found',
      'All webhooks',
    ],
    [`${ADMINISTRATION}/alerts/4711`, /\/alerts\/4711$/, 'Page not found', 'Go to the dashboard'],
    ['/registrations/no-id', /\/registrations\/no-id\b/, 'Registration not found', 'All registrations'],
  ] as const)
    it(`stays, and its link keeps the focus, while it requests the record again (${address})`, async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      const held = await holdRequests(page, requested, { from: 2 });
      await visit.go(address);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      const link = page.getByRole('main').getByRole('link', { name: way });
      await link.focus();
      await held.begun;
      await visit.settled();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await link.and(page.locator(':focus')).waitFor();
      held.release();
    });
});
