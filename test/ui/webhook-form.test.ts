import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
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

describe('adding and editing a webhook', () => {
  let ui: Ui;
  before(async () => {
    ui = await startUi();
  });
  after(() => ui[Symbol.asyncDispose]());

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

  it('is done with the keyboard alone, step by step', async () => {
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
    await page.keyboard.press('Enter');
    await visit.arrived(`${WEBHOOKS}/new?step=topic`);
    await page.getByRole('heading', { name: 'What kind of events?' }).waitFor();
    await tabTo(page, 'Accounts');
    await page.keyboard.press('Space');
    await tabTo(page, 'Next');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Which events exactly?' }).waitFor();
    await tabTo(page, 'Next');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'For which accounts and content?' }).waitFor();
    await tabTo(page, 'Accounts');
    await page.keyboard.type('northw');
    await page.getByRole('option', { name: /Northwind Training/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByText('This focus excludes these events: Account created.').waitFor();
    await tabTo(page, 'Next');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Review your webhook' }).waitFor();
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

  it('says at the field what is wrong, and puts the focus into the first', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByText('Enter a URL that starts with https:// or http://').waitFor();
    assert.equal(await page.locator(':focus').getAttribute('data-field'), 'name');
    await visit.assertAccessible();
  });

  it('leads back to the field that the service refuses', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByLabel('Name').fill('Inside');
    await page.getByLabel('Target URL').fill('http://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Accounts', { exact: true }).last().click();
    for (const title of ['Which events exactly?', 'For which accounts and content?', 'Review your webhook']) {
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('heading', { name: title }).waitFor();
    }
    await page.route('**/webhooks', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 400,
            contentType: 'application/problem+json',
            body: JSON.stringify({
              type: 'urn:coursewire:problem:invalid-request',
              title: 'The request is invalid',
              status: 400,
              detail: '1 member is invalid: /target_url',
              errors: [{ pointer: '/target_url', detail: 'must not be used' }],
            }),
          })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('Must not be used').waitFor();
    assert.equal(await page.locator(':focus').getAttribute('data-field'), 'target_url');
  });

  it('disables what the focus excludes, and says why', async () => {
    const { id } = await create({
      focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: 1 }],
      subtopics: ['ACCOUNT_DELETED'],
    });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit?step=events`);
    const { page } = visit;
    const created = page.getByRole('checkbox', { name: 'Account created' });
    await created.waitFor();
    assert.equal(await created.isDisabled(), true);
    await page.getByText(/^Not available with a focus on accounts/).waitFor();
    await page.getByRole('checkbox', { name: 'Account deleted' }).uncheck();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Choose at least one event.').waitFor();
    await visit.assertAccessible();
  });

  it('does not go on with a focus that excludes every chosen event', async () => {
    const { id } = await create({ subtopics: ['ACCOUNT_CREATED'] });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit?step=focus`);
    const { page } = visit;
    await page.getByRole('combobox', { name: 'Accounts' }).click();
    await page.getByRole('option', { name: /Northwind/ }).click();
    await page.keyboard.press('Escape');
    await page
      .getByText(/The selected events \(Account created\) cannot be combined with this focus/)
      .waitFor();
    await page.getByRole('button', { name: 'Select other events' }).click();
    await visit.arrived(`${WEBHOOKS}/${id}/edit?step=events`);
  });

  it('keeps the secret, what only the API sets, and “all”', async () => {
    const { id } = await create({
      authentication: { type: 'BASIC', key: 'crm', secret: 'stays' },
      max_attempts: 7,
      ignore_before_dt: '2026-01-31T09:30:00.000Z',
      logging_mode: 'SUMMARY',
    });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`);
    const { page } = visit;
    await page.getByText('Leave empty to keep the stored secret.').waitFor();
    await page.getByLabel('Name').fill('CRM, renamed');
    await page.getByRole('button', { name: 'Review' }).last().click();
    await page.getByText('Summary', { exact: true }).waitFor();
    await page.getByText('Basic, with the key crm. The stored secret is kept.').waitFor();
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Save changes' }).click();
    const request = await sent;
    assert.ok(request.headers()['if-match'], 'it is saved only if nobody else changed it');
    await page.getByRole('heading', { level: 1, name: 'CRM, renamed' }).waitFor();
    assert.equal(await page.getByText('Not saved').count(), 0);
    const record = await read(id);
    assert.equal(record.max_attempts, 7);
    assert.equal(record.ignore_before_dt, '2026-01-31T09:30:00.000Z');
    assert.equal(record.logging_mode, 'SUMMARY');
    assert.deepEqual(record.authentication, { type: 'BASIC', key: 'crm' });
    assert.equal((await overview(id)).all_subtopics, true);
  });

  it('makes “all” an explicit list when some are chosen, also when every one is', async () => {
    const { id } = await create({});
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit?step=events`);
    const { page } = visit;
    await page.getByRole('radio', { name: /^Selected events/ }).check();
    await page.getByRole('button', { name: 'Review' }).last().click();
    await page.getByText(/(?<!: )Account created, Activation updated, Account deleted$/).waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'CRM' }).waitFor();
    const record = await read(id);
    assert.equal(record.all_subtopics, false);
    assert.equal(record.subtopics.length, 3);
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await page.getByText('Account created, Activation updated, Account deleted', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page
      .getByRole('button', { name: /Events/ })
      .first()
      .click();
    assert.equal(await page.getByRole('radio', { name: /^Selected events/ }).isChecked(), true);
    await page.getByRole('radio', { name: /^All events/ }).check();
    await page.getByRole('button', { name: 'Review' }).last().click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'CRM' }).waitFor();
    assert.equal((await read(id)).all_subtopics, true);
  });

  it('keeps a draft over leaving and reloading, but never the secret', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByLabel('Name').fill('<img src=x onerror=alert(1)> 🚒');
    await page.getByLabel('Target URL').fill(TARGET);
    await page.getByRole('radio', { name: 'Basic' }).check();
    await page.getByLabel('Key').fill('crm');
    await page.getByLabel('Secret').fill('never kept');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.getByText('What you entered is kept in this tab, except for the secret').waitFor();
    await page.goBack();
    await page.getByText('Your draft was restored.').waitFor();
    await page.reload();
    await page.getByText('Your draft was restored.').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), '<img src=x onerror=alert(1)> 🚒');
    assert.equal(await page.getByLabel('Secret').inputValue(), '');
    assert.doesNotMatch(
      await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })'),
      /never kept/,
    );
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    assert.equal(await page.getByLabel('Name').inputValue(), '');
  });

  it('names in its address the step that it shows, and stays on it while that is filled in', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByLabel('Name').fill('CRM');
    await page.getByLabel('Target URL').fill(TARGET);
    await page.getByRole('radio', { name: 'Basic' }).check();
    await page.getByLabel('Key').fill('crm');
    await page.getByLabel('Secret').fill('secret');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('radio', { name: 'Accounts' }).check();
    for (const title of ['Which events exactly?', 'For which accounts and content?']) {
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('heading', { name: title }).waitFor();
    }
    await visit.arrived(`${WEBHOOKS}/new?step=focus`);
    // Without its secret the draft is back at its first step.
    await page.reload();
    await page.getByText('Your draft was restored.').waitFor();
    await visit.arrived(`${WEBHOOKS}/new`);
    await page.getByLabel('Secret').pressSequentially('secret');
    assert.equal(await page.getByLabel('Secret').inputValue(), 'secret');
    await page.getByRole('button', { name: 'Next' }).click();
    await visit.arrived(`${WEBHOOKS}/new?step=topic`);
  });

  it('reports someone else’s change, and leaves the choice', async () => {
    const { id } = await create({});
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`);
    const { page } = visit;
    await page.getByLabel('Name').fill('Mine');
    await ui.service.api.put(`/webhooks/${id}`, {
      name: 'Theirs',
      topic: 'ACCOUNT',
      target_url: TARGET,
      enabled: false,
    });
    await page.getByRole('button', { name: 'Review' }).last().click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Someone else changed this webhook in the meantime').waitFor();
    assert.equal((await read(id)).name, 'Theirs');
    await page.getByRole('button', { name: 'Keep my changes' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor();
    assert.equal((await read(id)).name, 'Mine');
  });

  it('adds nothing twice when an answer was lost', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`);
    const { page } = visit;
    await page.getByLabel('Name').fill('Once only');
    await page.getByLabel('Target URL').fill(TARGET);
    await page.getByRole('switch', { name: 'Active' }).uncheck();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('radio', { name: 'Courses' }).check();
    for (const title of ['Which events exactly?', 'For which accounts and content?', 'Review your webhook']) {
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('heading', { name: title }).waitFor();
    }
    await page.route(
      '**/webhooks',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('The service is not responding', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { level: 1, name: 'Once only' }).waitFor();
    const { body } = await ui.service.api.get('/ui/api/webhooks?search=Once%20only');
    assert.equal(body.total, 1);
  });

  it('fits a phone', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/new`, { phone: true });
    await visit.page.getByLabel('Name').waitFor();
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
  });
});
