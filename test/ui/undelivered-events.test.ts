import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createAccounts,
  createWebhook,
  LONG_RETRIES,
  settledDeliveries,
  updateWebhook,
} from '../delivery/webhook-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { startUi, type Ui } from './support/ui.ts';

const EVENTS = '/administration/integrations/events';

describe('the list of events in the admin UI', () => {
  let ui: Ui;
  let target: Target;
  let accountId: number;

  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: LONG_RETRIES }));
    target = parts.use(await startTarget());
    const { api } = ui.service;
    const id = await createWebhook(api, target.url, { name: 'CRM', max_attempts: 1 });
    await createAccounts(api, 'Northwind');
    await settledDeliveries(api, id, 1);
    target.respondWith(answer(500));
    await createAccounts(api, 'Southwind');
    await settledDeliveries(api, id, 2);
    await createWebhook(api, target.url, { name: 'Asleep', paused: true });
    ({ id: accountId } = await api.create('/accounts', { name: 'Eastwind' }));
    await settledDeliveries(api, id, 3);
    await updateWebhook(api, id, target.url, { name: 'CRM', enabled: false });
    await createAccounts(api, 'Westwind');
  });

  it('says which events have messages that failed or wait, in words, and leads to them', async () => {
    await using visit = await ui.visit(EVENTS);
    const { page } = visit;
    const row = (account: string) => page.getByRole('row').filter({ hasText: account });
    await row('Eastwind').getByText('2 webhooks', { exact: true }).waitFor();
    await row('Eastwind').getByText('Some dead-lettered', { exact: true }).waitFor();
    await row('Eastwind').getByText('Some waiting', { exact: true }).waitFor();
    assert.deepEqual(
      await Promise.all(
        ['Northwind', 'Southwind', 'Westwind'].map((account) =>
          row(account).getByRole('cell').nth(3).textContent(),
        ),
      ),
      ['1 webhook', '1 webhookDead-lettered', '1 webhookWaiting'],
    );
    await visit.assertAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await row('Eastwind').getByRole('link').click();
    await visit.arrived(new RegExp(`^${EVENTS}/\\d+$`));
    const messages = page.getByRole('list', { name: 'Messages' });
    await messages.getByText('Dead-lettered').waitFor();
    await messages.getByText('Waiting').waitFor();
  });

  it('says it on the page of an account, too, and fits on a phone', async () => {
    await using visit = await ui.visit(`/accounts/${accountId}?tab=events`, { phone: true });
    const { page } = visit;
    await page.getByText('Some dead-lettered', { exact: true }).waitFor();
    await page.getByText('Some waiting', { exact: true }).waitFor();
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
  });
});
