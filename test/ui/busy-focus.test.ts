import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { scormPackage, uploadForm } from '../content/packages.ts';
import { signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTarget } from '../support/target.ts';
import { act, CLIENTS } from './support/clients.ts';
import { failed, holdRequests } from './support/held-requests.ts';
import { Learning } from './support/learning.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('the focus of a button that was pressed', () => {
  let ui: Ui;
  let learning: Learning;
  let registration: string;
  let webhook: number;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    const target = parts.use(await startTarget());
    learning = await Learning.create(ui);
    const account = await learning.accountWithCourses('Northwind');
    registration = await learning.register(account, learning.courses[0]!, 'ada');
    const input = { name: 'CRM', topic: 'ACCOUNT', target_url: target.url };
    webhook = (await ui.service.api.create('/webhooks', input)).id;
  });

  const hasFocus = async (page: Page, element: Locator) =>
    await element.and(page.locator(':focus')).waitFor();

  it('stays while a launch link is created, and after it was', async () => {
    await using visit = await ui.visit(`/registrations/${registration}`);
    const { page } = visit;
    const launch = await holdRequests(page, '**/launch');
    const button = page.getByRole('button', { name: 'Create launch link' });
    await button.press('Enter');
    await launch.begun;
    await hasFocus(page, button);
    await page.keyboard.press('Enter');
    launch.release();
    await hasFocus(page, page.getByRole('button', { name: 'Create another link' }));
  });

  it('stays while a test message is sent, and after it was', async () => {
    await using visit = await ui.visit(`/administration/integrations/webhooks/${webhook}`);
    const { page } = visit;
    const sending = await holdRequests(page, /\/test\?/);
    await page.getByRole('button', { name: 'Send test message' }).click();
    const button = page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true });
    await button.press('Enter');
    await sending.begun;
    await hasFocus(page, button);
    sending.release();
    await hasFocus(page, page.getByRole('dialog').getByRole('button', { name: 'Send again' }));
  });

  it('stays after a form of a dialog was not saved, and a second press saves nothing twice', async () => {
    await using visit = await ui.visit('/accounts?new=yes');
    const { page } = visit;
    const creating = await holdRequests(page, '**/accounts', { method: 'POST', respond: failed });
    await page.getByLabel('Name', { exact: true }).fill('Contoso');
    const button = page.getByRole('dialog').getByRole('button', { name: 'Create account' });
    await button.press('Enter');
    await creating.begun;
    await hasFocus(page, button);
    await page.keyboard.press('Enter');
    creating.release();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await hasFocus(page, button);
    assert.equal(creating.count(), 1);
  });

  it('is at the heading after a version was published, whose button has disappeared', async () => {
    const id = learning.courses[0]!;
    await ui.service.api.post(`/courses/${id}/versions`, uploadForm(await scormPackage()));
    await using visit = await ui.visit(`/content/courses/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Publish version 1' }).press('Enter');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Publish/ })
      .press('Enter');
    await page.getByText('Version 1 is published.').waitFor();
    await page.getByRole('button', { name: 'Publish version 1' }).waitFor({ state: 'detached' });
    await hasFocus(page, page.locator('main h1'));
  });

  it('is in the form after someone else had changed the client', async () => {
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await act(page, 'tests', 'Edit…');
    await page.getByLabel('Name', { exact: true }).fill('Tests');
    const other = await signedInBrowser(ui.service.url);
    const { client_id, name, scopes } = (await other.get('/ui/api/clients?search=tests')).body.data[0];
    const theirs = { name, email: 'other@example.com', scopes, enabled: true };
    await other.put(`/ui/api/clients/${client_id}`, theirs);
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('Someone else changed this client').waitFor();
    await page.getByRole('dialog').locator('form :focus').waitFor();
  });
});
