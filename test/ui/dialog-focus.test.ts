import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { create } from './support/clients.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

const CLIENTS = '/administration/integrations/clients';

describe('the focus of a dialog', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    await ui.service.api.create('/accounts', { name: 'Northwind' });
  });

  const hasFocus = async (page: Page, element: Locator) =>
    await element.and(page.locator(':focus')).waitFor();
  const menuOf = (page: Page, name: string) =>
    page.getByRole('button', { name: /^Actions for/ }).and(page.getByLabel(name));
  const choose = async (page: Page, name: string, item: string) => {
    await menuOf(page, name).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  for (const [address, name, item] of [
    ['/accounts', 'Northwind', 'Rename…'],
    ['/administration/administrators', 'Vic', 'Edit'],
    [CLIENTS, 'tests', 'Edit…'],
  ] as const) {
    it(`is in its first field once that is there, and returns to the menu when it closes: ${item} on ${address}`, async () => {
      await using visit = await ui.visit(address);
      const { page } = visit;
      const reads = await holdRequests(page, /\/(?:accounts|clients)\/[^/?]+$/, { method: 'GET' });
      await choose(page, name, item);
      await page.getByRole('dialog').waitFor();
      reads.release();
      await hasFocus(page, page.getByLabel('Name', { exact: true }));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await hasFocus(page, menuOf(page, name));
    });
  }

  for (const [what, key, dialog] of [
    ['the search', 'Control+k', 'Search for anything by name'],
    ['the list of shortcuts', '?', 'Keyboard shortcuts'],
  ] as const) {
    it(`returns to what had it before ${what}`, async () => {
      await using visit = await ui.visit('/accounts');
      const { page } = visit;
      const button = page.getByRole('button', { name: 'Create account' });
      await button.focus();
      await page.keyboard.press(key);
      await page.getByRole('dialog', { name: dialog }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await hasFocus(page, button);
    });
  }

  it('is at a control of the page after an invitation, a client secret and a signing secret were shown', async () => {
    const webhook = { name: 'CRM', topic: 'ACCOUNT', target_url: 'https://crm.example.com/' };
    const { id } = await ui.service.api.create('/webhooks', webhook);
    await using visit = await ui.visit('/administration/administrators');
    const { page } = visit;
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill('new@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Create invitation link' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).press('Enter');
    await hasFocus(page, page.getByRole('button', { name: 'Invite' }));
    await visit.go(CLIENTS);
    await create(page, 'CRM');
    await hasFocus(page, page.getByRole('button', { name: 'Create client' }));
    await visit.go(`/administration/integrations/webhooks/${id}?tab=configuration`);
    await page.getByRole('button', { name: 'Sign postbacks…' }).click();
    await page.getByRole('button', { name: 'Create secret' }).click();
    await page.getByRole('button', { name: 'I have copied the secret' }).press('Enter');
    await hasFocus(
      page,
      page.getByRole('button', { name: 'Replace the secret…' }).or(page.locator('main h1')),
    );
  });
});
