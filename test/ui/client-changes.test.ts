import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { aroundTests } from '../support/around-tests.ts';
import {
  act,
  beside,
  CLIENTS,
  changeBeside,
  createBeside,
  dialog,
  readBeside,
  rowOf,
  scopesOf,
  takeSecret,
  tokenOf,
} from './support/clients.ts';
import { type HeldRequests, holdRequests } from './support/held-requests.ts';
import { HOSTILE } from './support/hostile-name.ts';
import { startUi, type Ui } from './support/ui.ts';
import { hasValue } from './support/values.ts';

let ui: Ui;

describe('an API client', () => {
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  test('can get another name and other scopes, which its next tokens have', async () => {
    const made = await createBeside(ui.service, 'Before');
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await act(page, 'Before', 'Edit…');
    await dialog(page).getByLabel('Name').fill(HOSTILE);
    await dialog(page).getByRole('checkbox', { name: 'webhooks:write' }).uncheck();
    await dialog(page).getByRole('checkbox', { name: 'content:write' }).uncheck();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await rowOf(page, HOSTILE).getByText('Read content, read webhooks, change registrations').waitFor();
    assert.equal(
      await scopesOf(ui.service, made),
      'content:read webhooks:read registrations:write statements:read statements:write audit:read',
    );
  });

  test('that someone else changed is not overwritten silently: the input is kept and may be saved again', async () => {
    const { id } = await createBeside(ui.service, 'Contested');
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await act(page, 'Contested', 'Edit…');
    await dialog(page).getByLabel('Name').fill('Contested: mine');
    await changeBeside(ui.service, id, { name: 'Contested: theirs', enabled: false });
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    const alert = dialog(page).getByRole('alert');
    await alert.getByText('Someone else changed this client in the meantime').waitFor();
    assert.deepEqual(await alert.getByRole('listitem').allTextContents(), [
      'Name now: \u2068Contested: theirs\u2069',
      'State now: \u2068Disabled\u2069',
    ]);
    await visit.assertAccessible();
    assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Contested: mine');
    assert.equal((await readBeside(ui.service, id)).name, 'Contested: theirs');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await rowOf(page, 'Contested: mine').getByText('Disabled').waitFor();
  });

  test('that someone else changed can be edited from its current state instead', async () => {
    const { id } = await createBeside(ui.service, 'Yielding');
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await act(page, 'Yielding', 'Edit…');
    await dialog(page).getByLabel('E-mail').fill('mine@example.com');
    await changeBeside(ui.service, id, { name: 'Yielding: theirs' });
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByRole('button', { name: 'Start over from the current values' }).click();
    await dialog(page).getByRole('alert').waitFor({ state: 'detached' });
    await hasValue(dialog(page).getByLabel('Name'), 'Yielding: theirs');
    await hasValue(dialog(page).getByLabel('E-mail'), 'it@example.com');
    await dialog(page).getByRole('checkbox', { name: 'content:write' }).uncheck();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    const { name, scopes } = await readBeside(ui.service, id);
    assert.deepEqual([name, scopes.includes('content:write')], ['Yielding: theirs', false]);
  });

  test('that someone else deleted is reported as deleted when it is opened and when it is saved', async () => {
    const { id } = await createBeside(ui.service, 'Fleeting one');
    const { id: second } = await createBeside(ui.service, 'Fleeting, too');
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await act(page, 'Fleeting one', 'Edit…');
    await dialog(page).getByLabel('Name').fill('Too late');
    await beside(ui.service, (clients) => clients.delete(id, COMMAND_LINE));
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByRole('alert').getByText('This no longer exists').waitFor();
    assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Too late');

    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await beside(ui.service, (clients) => clients.delete(second, COMMAND_LINE));
    await act(page, 'Fleeting, too', 'Edit…');
    await dialog(page).getByText('This no longer exists').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  });

  test('without scopes, as the command line creates them, can get another name and stays without', async () => {
    const input = { name: 'From the command line', email: 'cli@example.com', scopes: [] };
    const { client } = await beside(ui.service, (clients) => clients.create(input, COMMAND_LINE));
    await using visit = await ui.visit(`${CLIENTS}?search=cli@`);
    const { page } = visit;
    await rowOf(page, 'From the command line').getByText('None').waitFor();
    await act(page, 'From the command line', 'Edit…');
    await dialog(page).getByText('Without scopes, its tokens cannot do anything.').waitFor();
    await dialog(page).getByLabel('Name').fill('Renamed in the page');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Renamed in the page').getByText('None').waitFor();
    await act(page, 'Renamed in the page', 'Edit…');
    await dialog(page).getByRole('button', { name: 'Read-only' }).click();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Renamed in the page').getByText('Read-only').waitFor();
    assert.deepEqual((await readBeside(ui.service, client.clientId)).scopes, [
      'content:read',
      'webhooks:read',
      'statements:read',
    ]);

    await act(page, 'Renamed in the page', 'Edit…');
    for (const scope of ['content:read', 'webhooks:read', 'statements:read']) {
      await dialog(page).getByRole('checkbox', { name: scope }).uncheck();
    }
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Choose at least one').waitFor();
  });

  test('can get a new secret, and the former one no longer works', async () => {
    const former = await createBeside(ui.service, 'Renewed');
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await act(page, 'Renewed', 'New secret…');
    await page.getByRole('button', { name: 'Create new secret' }).click();
    const made = await takeSecret(page);
    assert.equal(made.id, former.id);
    await tokenOf(ui.service, made);
    assert.equal(await scopesOf(ui.service, former), 'invalid_client');
  });

  test('has no access while it is disabled, and the filter finds it', async () => {
    const made = await createBeside(ui.service, 'Paused');
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await act(page, 'Paused', 'Disable…');
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await rowOf(page, 'Paused').getByText('Disabled').waitFor();
    assert.equal(await scopesOf(ui.service, made), 'invalid_client');
    await page.goto(`${ui.service.url}/ui${CLIENTS}?state=disabled&search=paus`);
    await rowOf(page, 'Paused').waitFor();
    assert.equal(await rowOf(page, 'it@example.com').count(), 1);
    await act(page, 'Paused', 'Enable');
    await page.getByText('No results').waitFor();
    await tokenOf(ui.service, made);
  });

  test('can be edited while another one is being enabled: the answer does not close its form', async () => {
    const { id } = await createBeside(ui.service, 'Slow');
    await createBeside(ui.service, 'Edited meanwhile');
    await changeBeside(ui.service, id, { enabled: false });
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    const held = await holdRequests(page, `**/${id}`, { method: 'PUT' });
    await act(page, 'Slow', 'Enable');
    await act(page, 'Edited meanwhile', 'Edit…');
    await dialog(page).getByLabel('Name').fill('Still here');
    held.release();
    await page.getByText('It can get tokens again.').waitFor();
    assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Still here');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Still here').waitFor();
  });

  test('shows why it was not disabled or deleted, even if the question was cancelled in the meantime', async () => {
    const { id } = await createBeside(ui.service, 'Unchanged');
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    for (const [item, confirm] of [
      ['Disable…', 'Disable'],
      ['Delete…', 'Delete'],
    ] as const) {
      const held = Promise.withResolvers<void>();
      const sent = page.waitForRequest((request) => request.method() !== 'GET' && request.url().includes(id));
      await page.route(`**/${id}*`, async (route) => {
        if (route.request().method() === 'GET') return await route.fallback();
        await held.promise;
        await route.fulfill({ status: 500, body: '{}' });
      });
      await act(page, 'Unchanged', item);
      await dialog(page).getByRole('button', { name: confirm }).click();
      await sent;
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      held.resolve();
      const notice = page.getByRole('alert').filter({ hasText: 'Something went wrong' });
      await notice.waitFor();
      await notice.getByRole('button').click();
      await notice.waitFor({ state: 'detached' });
      await page.unroute(`**/${id}*`);
    }
  });

  test('can be created while another one is being created: the answer does not close its form', async () => {
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    const held = await holdRequests(page, '**/clients', { method: 'POST' });
    const open = () => page.getByRole('button', { name: 'Create client' }).click();
    await open();
    await dialog(page).getByLabel('Name').fill('First');
    await dialog(page).getByLabel('E-mail').fill('it@example.com');
    await dialog(page).getByRole('button', { name: 'All' }).click();
    await dialog(page).getByRole('button', { name: 'Create client' }).click();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await open();
    await dialog(page).getByLabel('Name').fill('Second');
    held.release();
    await page.getByLabel('Client secret').waitFor();
    await page.getByRole('button', { name: 'I have copied the secret' }).click();
    await page.getByLabel('Client secret').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Second');
  });

  test('asks before its page is left while its secret is made, since no other response has the secret', async () => {
    await createBeside(ui.service, 'Locked out');
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    const question = page.getByRole('dialog', { name: 'Leave now?' });
    const leave = async () => {
      // A request may be sent before the page has drawn that it waits.
      await visit.settled();
      await page.evaluate(`void __TSR_ROUTER__.navigate({ href: '/accounts' })`);
    };
    const takeInTime = async (held: HeldRequests) => {
      await question.waitFor();
      held.release();
      await question.waitFor({ state: 'detached' });
      await takeSecret(page);
      await visit.arrived(CLIENTS);
    };
    const creation = await holdRequests(page, '**/clients', { method: 'POST' });
    await page.getByRole('button', { name: 'Create client' }).click();
    await dialog(page).getByLabel('Name').fill('Made');
    await dialog(page).getByLabel('E-mail').fill('it@example.com');
    await dialog(page).getByRole('button', { name: 'All' }).click();
    await dialog(page).getByRole('button', { name: 'Create client' }).click();
    await creation.begun;
    await leave();
    // Escape stays, and does not reach the form behind the question.
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await leave();
    await takeInTime(creation);
    const renewal = await holdRequests(page, /\/clients\/[^/]+\/secret$/, { method: 'POST' });
    await act(page, 'Locked out', 'New secret…');
    await dialog(page).getByRole('button', { name: 'Create new secret' }).click();
    await renewal.begun;
    await leave();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await leave();
    await takeInTime(renewal);
  });

  test('has the focus at its menu again after each dialog that the menu opens', async () => {
    await createBeside(ui.service, 'Focused');
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    const button = rowOf(page, 'Focused').getByRole('button', { name: /^Actions for/ });
    for (const item of ['Edit…', 'Disable…', 'New secret…', 'Delete…']) {
      await act(page, 'Focused', item);
      await dialog(page).getByRole('button', { name: 'Cancel' }).waitFor();
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
      await button.and(page.locator(':focus')).waitFor();
    }
    await act(page, 'Focused', 'New secret…');
    await dialog(page).getByRole('button', { name: 'Create new secret' }).click();
    await page.getByLabel('Client secret').waitFor();
    await takeSecret(page);
    await button.and(page.locator(':focus')).waitFor();
  });

  test('that was used is deleted once its name is typed', async () => {
    const made = await createBeside(ui.service, 'Old CRM');
    await tokenOf(ui.service, made);
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await act(page, 'Old CRM', 'Delete…');
    await dialog(page).getByRole('button', { name: 'Delete client' }).click();
    await dialog(page).getByText('The name does not match.').waitFor();
    await dialog(page).getByRole('textbox').fill('Old CRM');
    await dialog(page).getByRole('button', { name: 'Delete client' }).click();
    await rowOf(page, 'Old CRM').waitFor({ state: 'detached' });
    assert.equal(await scopesOf(ui.service, made), 'invalid_client');
  });
});
