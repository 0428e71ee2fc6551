import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('a part of the UI that an upgrade has replaced', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  it('does not affect the rest: the page of a webhook is shown without its charts', async () => {
    const webhook = { name: 'CRM', topic: 'ACCOUNT', target_url: 'https://crm.example.com/', enabled: false };
    const { id } = await ui.service.api.create('/webhooks', webhook);
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.route('**/trend-charts-*', (route) => route.fulfill({ status: 404 }));
    await visit.go(`/administration/integrations/webhooks/${id}`);
    await page.getByRole('alert').getByText('Coursewire was updated').waitFor();
    assert.equal(await page.getByRole('heading', { level: 1, name: 'CRM' }).count(), 1);
    await page.unroute('**/trend-charts-*');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 3, name: 'Latency' }).waitFor();
  });

  for (const [what, pattern] of [
    ['first script', '**/assets/index-*.js'],
    ['a script that the first one needs', '**/assets/vendor-*.js'],
    ['first style', '**/assets/index-*.css'],
  ] as const)
    it(`is missing when the UI opens: a text says what to do (${what})`, async () => {
      await using visit = await ui.visit('/accounts');
      const { page } = visit;
      const text = page.getByRole('alert').getByText('Coursewire could not be loaded');
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(await text.count(), 0);
      await page.route(pattern, (route) => route.fulfill({ status: 404 }));
      await page.reload();
      await text.waitFor();
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 0);
      await page.unroute(pattern);
      await page.reload();
      await page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(await text.count(), 0);
    });

  it('ends an export before any row is read, and the notice says why', async () => {
    await ui.service.api.create('/accounts', { name: 'Northwind' });
    await using visit = await ui.visit('/accounts');
    const { page } = visit;
    await page.getByRole('link', { name: 'Northwind' }).waitFor();
    await page.route('**/csv-*', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByRole('alert').getByText('Coursewire was updated').waitFor();
    assert.equal(await page.getByText('TypeError').count(), 0);
  });
});
