import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';

describe('webhooks in the admin UI while the webhooks service is disabled', () => {
  let ui: Ui;
  let id: number;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: { enable_webhooks_service: false } }));
    ({ id } = await ui.service.api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: 'https://crm.example.com/hook',
    }));
  });

  it('are Read Only, which every page shows, and the list offers no change', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByRole('note').getByText('Webhooks are Read Only').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await visit.go(WEBHOOKS);
    await page.getByRole('link', { name: 'CRM' }).waitFor();
    await page.getByText('Webhooks are Read Only').waitFor();
    await page.getByText('Read Only', { exact: true }).waitFor();
    assert.equal(await page.getByRole('switch').count(), 0);
    assert.equal(await page.getByRole('button', { name: /Actions for/ }).count(), 0);
    await visit.assertAccessible();
  });

  it('are shown completely, without edit, delete, test or redelivery', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await page.getByText('Read Only', { exact: true }).waitFor();
    await page.getByText('Counting since').waitFor();
    for (const tab of ['Overview', 'History', 'Configuration']) {
      await page.getByRole('tab', { name: tab }).click();
      assert.equal(
        await page
          .getByRole('main')
          .getByText(/^(Edit|Delete.*|Send .*|Retry now|Move to dead letters…)$/)
          .count(),
        0,
      );
    }
    await visit.assertAccessible();
  });

  it('do not suggest waiting for a first postback, can be added though nothing is sent for now, and cannot be edited by address', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    await page.getByText('Available once the webhooks service is enabled.').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Open the webhook' }).count(), 0);
    await visit.go(`${WEBHOOKS}/new`);
    await page.getByText('Nothing is sent while the webhooks service is disabled.').waitFor();
    await visit.go(`${WEBHOOKS}/${id}/edit`);
    await page.getByRole('heading', { name: 'This webhook is Read Only' }).waitFor();
    await page.getByRole('link', { name: 'Back to the webhook' }).click();
    await visit.arrived(`${WEBHOOKS}/${id}`);
  });
});
