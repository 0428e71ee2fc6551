import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { importCourse, scormPackage, uploadForm } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { runSql } from '../support/database.ts';
import { registerTo } from '../support/registered-course.ts';
import { failed, holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

/** Adds messages that were not delivered: `dead-7-1`, `dead-7-2`, and so on, for the webhook 7. */
async function addDeadLetters(ui: Ui, webhookId: number, count: number): Promise<void> {
  await runSql(
    ui.service.settings.data_dir,
    `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
     select ${webhookId}, 'dead-${webhookId}-' || n, 'ACCOUNT_CREATED', 'DEAD_LETTERED', '{}', n, n, 1 from numbers`,
  );
}

describe('a response that arrives after its form or dialog was left', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

  test('a form that is left while it is saved shows its error on the next page, and does not leave that one', async () => {
    const webhook = {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: 'https://crm.example.com/',
      enabled: false,
    };
    const { id } = await ui.service.api.create('/webhooks', webhook);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}/edit`);
    const { page } = visit;
    const answers: PromiseWithResolvers<'refused' | 'saved'>[] = [];
    await page.route(`**/webhooks/${id}`, async (route) => {
      if (route.request().method() !== 'PUT') return await route.fallback();
      const answered = Promise.withResolvers<'refused' | 'saved'>();
      answers.push(answered);
      if ((await answered.promise) === 'refused') await route.fulfill({ status: 500, body: '{}' });
      else await route.continue();
    });
    const saveAndLeave = async (name: string) => {
      await page.getByLabel('Name', { exact: true }).fill(name);
      const sent = page.waitForRequest((request) => request.method() === 'PUT');
      const save = page.getByRole('button', { name: 'Save' });
      await save.click();
      await sent;
      // Before the page has noticed that the changes are on their way, it asks whether to lose them.
      await save.and(page.locator('[data-loading]')).waitFor();
      await visit.settled();
      await visit.go('/administration/alerts/new');
      await heading(page, 'Create alert').waitFor();
    };
    await saveAndLeave('Refused');
    answers[0]!.resolve('refused');
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
    await visit.go(`/administration/integrations/webhooks/${id}/edit`);
    await saveAndLeave('Saved');
    await page.getByLabel('Name', { exact: true }).fill('Too late');
    answers[1]!.resolve('saved');
    await page.getByText(`${isolate('Saved')} was saved.`).waitFor();
    await page.getByLabel('Name', { exact: true }).press('End');
    assert.equal(visit.address(), '/administration/alerts/new');
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Too late');
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  test('a dialog that is cancelled while its action is sent shows its error in a notice', async () => {
    const { id } = await ui.service.api.create('/accounts', { name: 'Kept' });
    await using visit = await ui.visit(`/accounts/${id}`);
    const { page } = visit;
    const held = await holdRequests(page, `**/accounts/${id}*`, { method: 'DELETE', respond: failed });
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(`Type “${isolate('Kept')}” to confirm`).fill('Kept');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    held.release();
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
  });

  test('a question whose action fails after Cancel shows the error in a notice, and asks again without it', async () => {
    const webhook = { name: 'Reset', topic: 'ACCOUNT', target_url: 'https://crm.example.com/' };
    const { id } = await ui.service.api.create('/webhooks', webhook);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}`);
    const { page } = visit;
    const held = await holdRequests(page, `**/webhooks/${id}/statistics/reset`, { respond: failed });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Reset…' }).click();
    const sent = page.waitForRequest('**/statistics/reset');
    await dialog.getByRole('button', { name: 'Reset statistics' }).click();
    await sent;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    held.release();
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
    await page.getByRole('button', { name: 'Reset…' }).click();
    await dialog.getByRole('button', { name: 'Reset statistics' }).waitFor();
    assert.equal(await dialog.getByRole('alert').count(), 0);
    await dialog.getByRole('button', { name: 'Reset statistics' }).click();
    await dialog.getByRole('alert').waitFor();
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  test('shows its error in a notice, even if the same question is then asked about someone else', async () => {
    await using visit = await ui.visit('/administration/administrators');
    const { page } = visit;
    for (const email of ['leaver@example.com', 'other@example.com']) {
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('button', { name: 'Create invitation link' }).click();
      await page.getByRole('button', { name: 'I have copied it' }).click();
    }
    const held = await holdRequests(page, '**/ui/api/administrators/*', {
      method: 'DELETE',
      respond: failed,
    });
    const ask = async (email: string) => {
      await page.getByRole('button', { name: new RegExp(`^Actions for .*${email}`) }).click();
      await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    };
    const dialog = page.getByRole('dialog');
    await ask('leaver@example.com');
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await sent;
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await ask('other@example.com');
    held.release();
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
    await dialog.getByText('other@example.com').first().waitFor();
    assert.equal(await dialog.getByRole('alert').count(), 0);
  });

  test('shows that sessions were not ended, after the question whether to end them was left', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    const held = await holdRequests(page, '**/ui/api/sessions', { method: 'DELETE', respond: failed });
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    const dialog = page.getByRole('dialog');
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await sent;
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    held.release();
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
  });

  test('shows that a message was not redelivered, after another one was opened', async () => {
    const { id } = await ui.service.api.create('/webhooks', {
      name: 'Dead',
      topic: 'ACCOUNT',
      target_url: 'https://crm.example.com/',
    });
    await addDeadLetters(ui, id, 2);
    await using visit = await ui.visit(
      `/administration/integrations/webhooks/${id}?tab=history&outcome=DEAD_LETTERED`,
    );
    const { page } = visit;
    const redelivery = Promise.withResolvers<void>();
    await page.route('**/redeliver', async (route) => {
      await redelivery.promise;
      await route.fulfill({ status: 409, json: { title: 'Conflict', detail: 'The webhook is inactive.' } });
    });
    await page
      .getByRole('link', { name: /delivery/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`dead-${id}-2`).first().waitFor();
    const redelivered = page.waitForRequest('**/redeliver');
    await dialog.getByRole('button', { name: 'Redeliver' }).click();
    await redelivered;
    await page.keyboard.press('j');
    await dialog.getByText(`dead-${id}-1`).first().waitFor();
    redelivery.resolve();
    await page.getByRole('alert').getByText('The webhook is inactive.').waitFor();
    assert.equal(await dialog.getByRole('alert').count(), 0);
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  test('a webhook that is being activated is not activated again by the menu of its page', async () => {
    const webhook = { name: 'CRM', topic: 'ACCOUNT', target_url: 'https://crm.example.com/', enabled: false };
    const { id } = await ui.service.api.create('/webhooks', webhook);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}`);
    const { page } = visit;
    const held = await holdRequests(page, `**/webhooks/${id}`, { method: 'PUT' });
    const activate = page.getByRole('button', { name: 'Activate', exact: true });
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await activate.click();
    await sent;
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Activate' }).click();
    await visit.settled();
    held.release();
    await page.getByText(`${isolate('CRM')} is active.`).waitFor();
    assert.equal(held.count(), 1);
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  test('a version that is published after Cancel does not close the question about another one', async () => {
    const { id } = await importCourse(ui.service);
    for (const _version of [2, 3])
      await ui.service.api.create(`/courses/${id}/versions`, uploadForm(await scormPackage()));
    await using visit = await ui.visit(`/content/courses/${id}`);
    const { page } = visit;
    const held = await holdRequests(page, '**/publish');
    const publish = page.getByRole('button', { name: /^Publish version \d+$/ });
    const dialog = page.getByRole('dialog');
    await publish.first().click();
    const sent = page.waitForRequest('**/publish');
    await dialog.getByRole('button', { name: /^Publish/ }).click();
    await sent;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await publish.last().click();
    const question = await dialog.getByRole('heading').textContent();
    held.release();
    await page.getByText(/^Version \d+ is published\.$/).waitFor();
    await visit.settled();
    assert.equal(await dialog.getByRole('heading').textContent(), question);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('stays at a page that is opened while a record is deleted on another one', async () => {
    const { api } = ui.service;
    const { id } = await api.create('/accounts', { name: 'Deleted slowly' });
    await using visit = await ui.visit(`/accounts/${id}`);
    const { page } = visit;
    const held = await holdRequests(page, `**/accounts/${id}`, { method: 'DELETE' });
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Deleted slowly');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await visit.go('/administration/alerts/new');
    await page.getByLabel('Name', { exact: true }).fill('Meanwhile');
    held.release();
    await page.getByText(`${isolate('Deleted slowly')} was deleted.`).waitFor();
    await page.getByLabel('Name', { exact: true }).press('End');
    assert.equal(visit.address(), '/administration/alerts/new');
    assert.equal(await page.getByRole('dialog').count(), 0);
  });

  test('a waiting message that is skipped does not close another one that was opened since', async () => {
    const { api } = ui.service;
    const target_url = 'https://crm.example.com/';
    const { id } = await api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url, paused: true });
    for (const name of ['Skipped', 'Opened']) await api.create('/accounts', { name });
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}`);
    const { page } = visit;
    const held = await holdRequests(page, '**/line/messages/*/skip');
    const rows = page.getByRole('list', { name: 'Waiting messages' }).getByRole('listitem');
    const drawer = page.getByRole('dialog', { name: 'Waiting message' });
    const confirm = page.getByRole('button', { name: 'Move to dead letters', exact: true });
    await rows.first().getByRole('link').click();
    await drawer.getByText('"name": "Skipped"').waitFor();
    await drawer.getByRole('button', { name: 'Move to dead letters…' }).click();
    await confirm.click();
    await held.begun;
    await page.getByRole('button', { name: 'Cancel' }).click();
    await confirm.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await rows.last().getByRole('link').click();
    await drawer.getByText('"name": "Opened"').waitFor();
    const address = visit.address();
    held.release();
    await page.getByText('The message was moved to dead letters.').waitFor();
    await rows.getByText('Skipped').waitFor({ state: 'detached' });
    await visit.settled();
    assert.equal(visit.address(), address);
    await drawer.getByText('"name": "Opened"').waitFor();
    await api.delete(`/webhooks/${id}`);
  });

  test('a unit that is waived after Cancel does not close the question about another one', async () => {
    const units = ['one', 'two'].map((name) => ({
      id: `https://example.com/course/${name}`,
      moveOn: 'Passed' as const,
    }));
    const { registrationId } = await registerTo(ui.service, cmi5Course(units));
    await using visit = await ui.visit(`/registrations/${registrationId}`);
    const { page } = visit;
    const held = await holdRequests(page, '**/waive');
    const waive = page.getByRole('region', { name: 'Units' }).getByRole('button', { name: /^Waive/ });
    const dialog = page.getByRole('dialog');
    await waive.first().click();
    await dialog.getByRole('combobox', { name: 'Reason' }).click();
    await page.getByRole('option', { name: 'Passed a test elsewhere' }).click();
    await dialog.getByRole('button', { name: 'Waive unit' }).click();
    await held.begun;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await waive.last().click();
    assert.notEqual(
      await dialog.getByRole('combobox', { name: 'Reason' }).inputValue(),
      'Passed a test elsewhere',
    );
    const question = await dialog.getByRole('heading').textContent();
    held.release();
    await page
      .getByText(/ was waived\.$/)
      .first()
      .waitFor();
    await visit.settled();
    assert.equal(await dialog.getByRole('heading').textContent(), question);
  });

  test('a folder that is created after Cancel is not opened in place of the page with another dialog', async () => {
    const { id } = await ui.service.api.create('/folders', { name: 'Parent', parent_id: 1 });
    await using visit = await ui.visit(`/content?folder=${id}`);
    const { page } = visit;
    const held = await holdRequests(page, '**/folders', { method: 'POST' });
    const act = async (action: string) => {
      await page.getByRole('button', { name: /^Actions for folder/ }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    const dialog = page.getByRole('dialog');
    await act('Create folder…');
    await dialog.getByLabel('Name').fill('Late');
    await dialog.getByRole('button', { name: 'Create folder' }).click();
    await held.begun;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await act('Rename…');
    await dialog.getByLabel('Name').fill('Typed meanwhile');
    held.release();
    await page.getByText(`“${isolate('Late')}” was created.`).waitFor();
    await visit.settled();
    await dialog.getByLabel('Name').press('End');
    assert.equal(visit.address(), `/content?folder=${id}`);
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Typed meanwhile');
  });

  test('dead letters that are removed after Cancel neither close the question about others nor deselect them', async () => {
    const target_url = 'https://crm.example.com/';
    const { id } = await ui.service.api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url });
    await addDeadLetters(ui, id, 2);
    await using visit = await ui.visit(`/administration/integrations/dead-letters?webhook_id=${id}`);
    const { page } = visit;
    const held = await holdRequests(page, '**/deliveries/remove?*');
    const ticks = page.getByRole('checkbox', { name: /^Select .?Account created, delivery/ });
    const dialog = page.getByRole('dialog', { name: 'Remove dead letters?' });
    await ticks.first().check();
    await page.getByRole('button', { name: 'Remove selected…' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await held.begun;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await ticks.first().uncheck();
    await ticks.last().check();
    await page.getByRole('button', { name: 'Remove selected…' }).click();
    held.release();
    await page.getByText('1 dead letter was removed.').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.waitFor({ state: 'detached' });
    await ticks.first().waitFor({ state: 'detached' });
    await ui.service.api.delete(`/webhooks/${id}`);
  });
});
