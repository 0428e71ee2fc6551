import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { chooseFocus } from './support/choosing.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const TARGET = 'https://crm.example.com/hook';

/** Presses Tab until the element of that name has the focus. */
async function tabTo(page: Page, name: RegExp | string): Promise<void> {
  const focused = page.locator(':focus');
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    const label = await focused.evaluate(
      (element) =>
        [...((element as unknown as { labels?: Iterable<{ textContent: string }> }).labels ?? [])]
          .map((each) => each.textContent)
          .join(' ') ||
        element.getAttribute('aria-label') ||
        element.textContent ||
        '',
    );
    if (typeof name === 'string' ? label.includes(name) : name.test(label)) return;
  }
  assert.fail(`the keyboard does not reach ${name}`);
}

describe('creating and editing a webhook', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  const create = (configuration: object) =>
    ui.service.api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: TARGET,
      enabled: false,
      ...configuration,
    });
  const read = async (id: number) => (await ui.service.api.get(`/webhooks/${id}`)).body;
  const overview = async (id: number) => (await ui.service.api.get(`/ui/api/webhooks/${id}`)).body;

  it('works with the keyboard alone, on one page', async () => {
    await ui.service.api.create('/accounts', { name: 'Northwind Training' });
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByLabel('Name').waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('Northwind CRM');
    await tabTo(page, 'Target URL');
    await page.keyboard.type(TARGET);
    await tabTo(page, 'None');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, 'Key');
    await page.keyboard.type('crm');
    await tabTo(page, 'Secret');
    await page.keyboard.type('very secret');
    await tabTo(page, 'Accounts');
    await page.keyboard.press('Space');
    await page.getByRole('checkbox', { name: 'Account deleted' }).waitFor();
    await tabTo(page, 'Choose accounts…');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Focus on accounts' });
    await dialog.getByRole('checkbox', { name: /Northwind Training/ }).waitFor();
    await dialog.getByRole('searchbox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('northw');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await dialog.getByText('1 selected').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'Accounts' }).getByText('Northwind Training').waitFor();
    await page.getByText('This focus excludes these events: Account created.').waitFor();
    await visit.assertAccessible();
    await tabTo(page, 'Create webhook');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Northwind CRM' }).waitFor();
    const id = Number(/(\d+)$/.exec(visit.address())?.[1]);
    const record = await read(id);
    assert.equal(record.name, 'Northwind CRM');
    assert.deepEqual(record.authentication, { type: 'BASIC', key: 'crm' });
    assert.deepEqual(record.subtopics, ['ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED']);
    assert.equal(record.focus[0].webhook_focus_name, 'Northwind Training');
    assert.equal((await overview(id)).all_subtopics, true);
  });

  it('shows all errors at once, each at its field, and focuses the first; Enter submits', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByRole('radio', { name: 'Basic' }).check();
    await page.getByLabel('Target URL').press('Enter');
    for (const error of [
      'Enter a name.',
      'Enter a URL that starts with https:// or http://',
      'Enter the key.',
      'Enter the secret.',
      'Choose a topic.',
    ])
      await page.getByText(error, { exact: true }).waitFor();
    await page.locator('[data-field=name]:focus').waitFor();
    await visit.assertAccessible();
    await page.keyboard.type('CRM');
    await page.getByText('Enter a name.').waitFor({ state: 'detached' });
    await page.getByText('Choose a topic.').waitFor();
    await page.getByRole('radio', { name: 'Accounts' }).check();
    await page.getByRole('checkbox', { name: 'All events of this topic' }).uncheck();
    for (const event of ['Account created', 'Activation updated', 'Account deleted'])
      await page.getByRole('checkbox', { name: event }).uncheck();
    await page.getByText('Choose at least one event.').waitFor();
  });

  it('shows the error of the service at the field that it concerns, and focuses it', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByLabel('Name').fill('Inside');
    await page.getByLabel('Target URL').fill('http://10.0.0.1/hook');
    await page.getByRole('radio', { name: 'Accounts' }).check();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page
      .getByText(/^10\.0\.0\.1|not allowed|target_allowed_networks/i)
      .first()
      .waitFor();
    const field = page.locator('[data-field=target_url]');
    await field.and(page.locator(':focus')).waitFor();
    await visit.assertAccessible();
    await page.getByLabel('Name').fill('Outside');
    await field.and(page.locator(':not([aria-invalid=true])')).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0, 'a corrected error does not appear elsewhere');
  });

  it('shows the message of each event, as a test sends it to the target', async () => {
    await using target = await startTarget({ respondWith: answer(201, { body: 'thanks' }) });
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByText('Choose a topic to see the message of each event').waitFor();
    await page.getByLabel('Name').fill('Tested');
    await page.getByLabel('Target URL').fill(`${target.url}/hook`);
    await page.getByRole('radio', { name: 'Basic' }).check();
    await page.getByLabel('Key').fill('crm');
    await page.getByLabel('Secret').fill('very secret');
    await page.getByRole('radio', { name: 'Registrations' }).check();
    for (const event of ['Registration launched', 'Status updated']) {
      await page.getByRole('button', { name: `Example: ${event}` }).click();
      await page.getByRole('heading', { name: `Message: ${event}` }).waitFor();
    }
    const example = page.getByRole('region', { name: 'Message: Status updated' });
    const shown = JSON.parse(await example.locator('pre').first().innerText());
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('The target accepted it').waitFor();
    await page.getByText('thanks').waitFor();
    const [received] = target.requests;
    assert.equal(received?.headers['webhook-test'], 'true');
    assert.equal(received?.headers.authorization, `Basic ${btoa('crm:very secret')}`);
    assert.deepEqual(shown, { ...(received?.json as object), timestamp: shown.timestamp });
    assert.deepEqual(Object.keys(shown), Object.keys(received?.json as object));
    await visit.assertAccessible();
    target.respondWith(answer(403, { body: 'go away' }));
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('It was not delivered').waitFor();
    await page.getByText('403 Forbidden').waitFor();
    await page.getByText('go away').waitFor();
    await page.getByLabel('Name').fill('Another');
    await page.getByText('It was not delivered').waitFor({ state: 'detached' });
    const { body } = await ui.service.api.get('/ui/api/webhooks?search=Tested');
    assert.equal(body.total, 0, 'a test stores nothing');
    await page.getByLabel('Target URL').fill('http://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.locator('[data-field=target_url][aria-invalid=true]').waitFor();
  });

  it('tests an edit with the stored secret before it is saved', async () => {
    await using target = await startTarget();
    const { id } = await create({
      target_url: target.url,
      authentication: { type: 'BASIC', key: 'crm', secret: 'stays' },
    });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`);
    const { page } = visit;
    await page.getByLabel('Target URL').fill(`${target.url}/new`);
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('The target accepted it').waitFor();
    const [received] = target.requests;
    assert.equal(received?.path, '/new');
    assert.equal(received?.headers.authorization, `Basic ${btoa('crm:stays')}`);
    assert.equal((await read(id)).target_url, target.url);
  });

  it('disables the events that the focus excludes, and says why', async () => {
    const { id } = await create({
      focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: 1 }],
      subtopics: ['ACCOUNT_DELETED'],
    });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`);
    const { page } = visit;
    const created = page.getByRole('checkbox', { name: 'Account created' });
    await created.waitFor();
    assert.equal(await created.isDisabled(), true);
    await page.getByText(/^Not available with a focus on accounts/).waitFor();
    await page.getByRole('checkbox', { name: 'Account deleted' }).uncheck();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Choose at least one event.').waitFor();
    await visit.assertAccessible();
  });

  it('does not save a focus that excludes every selected event', async () => {
    const { id } = await create({ subtopics: ['ACCOUNT_CREATED'] });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`);
    const { page } = visit;
    await chooseFocus(page, 'Choose accounts…', ['Northwind']);
    await page
      .getByText(/The selected events \(Account created\) cannot be combined with this focus/)
      .waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The selected events cannot be combined with the focus.').waitFor();
    assert.deepEqual((await read(id)).focus, []);
  });

  it('chooses content for the focus in the usual dialog, by type and name, and removes it again', async () => {
    const { api } = ui.service;
    const { id: outer } = await api.create('/folders', { name: 'Safety' });
    const { id: inner } = await api.create('/folders', { name: 'Safety drills', parent_id: outer });
    const { id } = await create({ topic: 'REGISTRATION' });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`, { phone: true });
    const { page } = visit;
    await page.getByRole('button', { name: 'Choose content…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Focus on content' });
    await dialog.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Folder' }).click();
    await dialog.getByRole('searchbox', { name: 'Search content' }).fill('safety');
    await dialog.getByText('1–2 of 2').waitFor();
    await dialog.getByRole('button', { name: 'Select all shown' }).click();
    await visit.assertNoSidewaysScrolling();
    await dialog.getByRole('button', { name: 'Add 2 items' }).click();
    const chosen = page.getByRole('list', { name: 'Content' });
    await chosen.getByText('Safety drills').waitFor();
    await visit.assertAccessible();
    await visit.assertNoSidewaysScrolling();
    await page.getByRole('button', { name: 'Choose content…' }).click();
    const held = dialog.getByRole('checkbox', { name: /^Safety drills Already added/ });
    await held.waitFor();
    assert.equal(await held.isDisabled(), true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await chosen.getByRole('button', { name: `Remove ${isolate('Safety')}` }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'CRM', exact: true }).waitFor();
    assert.deepEqual(
      (await read(id)).focus.map((each: { webhook_focus_id: number }) => each.webhook_focus_id),
      [inner],
    );
  });

  it('keeps the secret, the members that only the API sets, and “all”', async () => {
    const { id } = await create({
      authentication: { type: 'BASIC', key: 'crm', secret: 'stays' },
      max_attempts: 7,
      ignore_before_dt: '2026-01-31T09:30:00.000Z',
      logging_mode: 'SUMMARY',
    });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`);
    const { page } = visit;
    await page.getByText('Leave empty to keep the stored secret.').waitFor();
    await page.getByText('Summary', { exact: true }).waitFor();
    await page.getByLabel('Name').fill('CRM, renamed');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Save changes' }).click();
    const request = await sent;
    assert.ok(request.headers()['if-match'], 'it is saved only if nobody else changed it');
    await page.getByRole('heading', { level: 1, name: 'CRM, renamed' }).waitFor();
    const record = await read(id);
    assert.equal(record.max_attempts, 7);
    assert.equal(record.ignore_before_dt, '2026-01-31T09:30:00.000Z');
    assert.equal(record.logging_mode, 'SUMMARY');
    assert.deepEqual(record.authentication, { type: 'BASIC', key: 'crm' });
    assert.equal((await overview(id)).all_subtopics, true);
  });

  it('turns “all” into an explicit list when it is cleared, and back', async () => {
    const { id } = await create({});
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`);
    const { page } = visit;
    const all = page.getByRole('checkbox', { name: 'All events of this topic' });
    await all.uncheck();
    assert.equal(await page.getByRole('checkbox', { name: 'Account created' }).isChecked(), true);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'CRM', exact: true }).waitFor();
    const record = await read(id);
    assert.equal(record.all_subtopics, false);
    assert.equal(record.subtopics.length, 3);
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await page.getByText('Account created, Activation updated, Account deleted', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await all.check();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'CRM', exact: true }).waitFor();
    assert.equal((await read(id)).all_subtopics, true);
  });

  it('fits on a phone, with every field and error', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`, { phone: true });
    const { page } = visit;
    await page.getByRole('radio', { name: 'Registrations' }).check();
    await page.getByRole('radio', { name: 'Basic' }).check();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('Enter a name.').waitFor();
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
  });
});
