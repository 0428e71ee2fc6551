import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { until } from '../support/until.ts';
import { boxOf } from './support/boxes.ts';
import { choose } from './support/choosing.ts';
import { Learning } from './support/learning.ts';
import { startUi, type Ui } from './support/ui.ts';
import { hasValue } from './support/values.ts';

/** As long as an id may be. A string has two units for each of its characters. */
const LONGEST_ID = '🎓'.repeat(255);
const LONGEST_NAME = '🎓'.repeat(200);

describe('a text of many characters in the admin UI', () => {
  let ui: Ui;
  let learning: Learning;
  let account: number;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    learning = await Learning.create(ui);
    account = await learning.accountWithCourses('Adventure Works');
  });

  it('links to the registrations of its learner alone', async () => {
    const [first = 0, second = 0] = learning.courses;
    const id = await learning.register(account, first, LONGEST_ID);
    await learning.register(account, second, LONGEST_ID);
    await learning.register(account, first, 'somebody else');
    await using visit = await ui.visit(`/registrations/${id}`);
    const { page } = visit;
    await page.getByTitle('All registrations of this learner').click();
    await page
      .getByRole('button', { name: /Learner/ })
      .filter({ hasText: LONGEST_ID })
      .waitFor();
    await page.getByRole('row').nth(2).waitFor();
    assert.equal(await page.getByText('somebody else').count(), 0);
  });

  it('is registered as it was pasted, or its field says that it is too long', async () => {
    await using visit = await ui.visit(`/registrations?account_id=${account}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Register learner' }).click();
    const dialog = page.getByRole('dialog');
    const id = `${LONGEST_ID.slice(0, -2)}x`;
    await choose(page, 'Course or equivalent', 'Ladders');
    await paste(page, dialog.getByLabel('Learner id'), `${id}yz`);
    await dialog.getByRole('button', { name: 'Register' }).click();
    await dialog.getByText('Use at most 255 characters').waitFor();
    await paste(page, dialog.getByLabel('Learner id'), id);
    await dialog.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { level: 1, name: id }).waitFor();
  });

  it('is saved as the name of an alert or a person, or its field says that it is too long', async () => {
    await using visit = await ui.visit('/administration/alerts/new');
    const { page } = visit;
    const name = page.getByRole('textbox', { name: 'Name' });
    await paste(page, name, `${LONGEST_NAME}x`);
    await page.getByRole('combobox', { name: 'Post to a URL' }).click();
    await page.getByRole('option', { name: 'To Slack' }).click();
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill('https://chat.example.com/');
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByText('Use at most 200 characters').waitFor();
    await paste(page, name, LONGEST_NAME);
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByRole('heading', { level: 1, name: LONGEST_NAME }).waitFor();
    await visit.go('/profile');
    await paste(page, name, `${LONGEST_NAME}x`);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Use at most 200 characters').waitFor();
    await paste(page, name, LONGEST_NAME);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Your name was saved.').waitFor();
    await page.reload();
    await hasValue(name, LONGEST_NAME);
  });

  it('of the address of a webhook is truncated above its error, and whole in its configuration', async () => {
    const { api } = ui.service;
    const target_url = `http://127.0.0.1:9/${'p'.repeat(1_900)}`;
    const { id } = await api.create('/webhooks', { name: 'Long', topic: 'ACCOUNT', target_url });
    await api.create('/accounts', { name: 'Northwind' });
    await until(async () => (await api.get(`/webhooks/${id}`)).body.in_error, 'it is in error');
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}`);
    const { page } = visit;
    const retry = await page.getByRole('button', { name: 'Retry now' }).boundingBox();
    const { height } = page.viewportSize()!;
    assert.ok(retry!.y + retry!.height < height, `${retry!.y} of ${height}`);
    await page.locator('main header').getByTitle(target_url).waitFor();
    await visit.assertAccessible();
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await page.getByRole('definition').getByText(target_url, { exact: true }).waitFor();
    await api.delete(`/webhooks/${id}`);
  });

  it('without spaces is whole in the dialog that asks for it, in lines that do not touch', async () => {
    const name = 'extinguishers'.repeat(11);
    const id = await learning.accountWithCourses(name);
    await using visit = await ui.visit(`/accounts/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    const label = await boxOf(dialog.locator('label').filter({ hasText: name }));
    const field = await boxOf(dialog.getByRole('textbox'));
    assert.ok(label.x + label.width <= field.x + field.width, `a label of ${label.width} px`);
    const title = dialog.getByRole('heading', { name });
    const lines = await title.evaluate((element) => {
      const { lineHeight, fontSize } = getComputedStyle(element);
      return Number.parseFloat(lineHeight) / Number.parseFloat(fontSize);
    });
    assert.ok(lines >= 1.2, `lines of ${lines} times the size of the letters`);
  });

  it('is in the address of a log and in its filter as it was pasted', async () => {
    await using visit = await ui.visit('/administration/integrations/events');
    const { page } = visit;
    await paste(page, page.getByRole('textbox', { name: 'Learner id' }), LONGEST_ID);
    await visit.arrived(/learner_id=/);
    assert.equal(new URL(page.url()).searchParams.get('learner_id'), LONGEST_ID);
    await hasValue(page.getByRole('textbox', { name: 'Learner id' }), LONGEST_ID);
  });
});

/** Puts a text into a field as pasting it does, which the maximum length of a field would cut. */
async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await field.fill('');
  await field.focus();
  await page.keyboard.insertText(text);
}
