import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startUi } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';

describe('links to pages above the current one', () => {
  it('are not called the current page by screen readers, except in the navigation', async () => {
    await using ui = await startUi();
    const { api } = ui.service;
    const { id: webhook } = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: 'https://crm.example.com/hook',
    });
    const { id: folder } = await api.create('/folders', { name: 'Tools' });
    await using visit = await ui.visit('/');
    const { page } = visit;
    const main = page.getByRole('main');
    for (const [address, link] of [
      [`${WEBHOOKS}/${webhook}`, main.getByRole('link', { name: 'Webhooks', exact: true })],
      [`${WEBHOOKS}/${webhook}/edit`, main.getByRole('link', { name: 'Cancel' })],
      [`/content?folder=${folder}`, main.getByRole('link', { name: 'Home', exact: true }).first()],
      [`/content?folder=${folder}`, page.getByRole('link', { name: 'Coursewire' })],
    ] as const) {
      await visit.go(address);
      assert.equal(await link.getAttribute('aria-current'), null, address);
    }
    const areas = page.getByRole('navigation', { name: 'Main' });
    assert.equal(
      await areas.getByRole('link', { name: 'Content', exact: true }).getAttribute('aria-current'),
      'page',
    );
  });
});
