import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ClientService } from '../../src/identity/client-service.ts';
import { SCOPES } from '../../src/identity/scopes.ts';
import { openDatabaseOf } from '../support/database.ts';
import { requestToken } from '../support/service.ts';
import { startUi, type Ui } from './support/ui.ts';

const ADDRESS = '/administration/integrations/clients';
const HOSTILE = '<img src=x onerror=document.title=1> שלום 🚒';

let ui: Ui;
before(async () => {
  ui = await startUi();
});
after(() => ui[Symbol.asyncDispose]());

const stations = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `Station ${from + at}`);
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const dialog = (page: Page) => page.getByRole('dialog');

interface Made {
  id: string;
  secret: string;
}

/** Closes the dialog that tells the secret, and answers what it told. */
async function takeSecret(page: Page): Promise<Made> {
  const secret = await page.getByLabel('Client secret').inputValue();
  const id = await dialog(page)
    .getByText(/^cw_[0-9a-f]{24}$/)
    .textContent();
  await page.getByRole('button', { name: 'I have copied the secret' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  return { id: id ?? '', secret };
}

async function create(page: Page, name: string, scopes: 'All' | 'Only reading' = 'All'): Promise<Made> {
  await page.getByRole('button', { name: 'Create client' }).click();
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByLabel('E-mail').fill('it@example.com');
  await dialog(page).getByRole('button', { name: scopes }).click();
  await dialog(page).getByRole('button', { name: 'Create client' }).click();
  return takeSecret(page);
}

async function act(page: Page, name: string, item: string): Promise<void> {
  await rowOf(page, name)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

const tokenOf = ({ id, secret }: Made) => requestToken(ui.service.url, id, secret);
/** The scopes of a new token, or the error in its place. */
async function scopesOf({ id, secret }: Made): Promise<string> {
  const response = await fetch(`${ui.service.url}/public/v1/auth`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const answer = (await response.json()) as { scope?: string; error?: string };
  return answer.scope ?? answer.error ?? '';
}

/** What somebody else does meanwhile. */
async function beside<T>(work: (clients: ClientService) => Promise<T>): Promise<T> {
  await using database = await openDatabaseOf(ui.service.settings.data_dir);
  return await work(new ClientService({ database, now: Date.now }));
}

async function readBeside(id: string) {
  const client = await beside((clients) => clients.get(id));
  assert.ok(client !== null);
  const { name, email, enabled } = client;
  return { name, email, scopes: SCOPES.filter((scope) => client.scopes.has(scope)), enabled };
}

async function changeBeside(id: string, change: { name?: string; enabled?: boolean }): Promise<void> {
  const present = await readBeside(id);
  await beside((clients) => clients.update(id, { ...present, ...change }));
}

describe('creating an API client', () => {
  test('tells its secret once, with which it gets tokens of the chosen scopes; the list then tells its use', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    const made = await create(page, 'Reports', 'Only reading');
    await rowOf(page, 'Reports').getByText('Only read').waitFor();
    await rowOf(page, 'Reports').getByText('Never').waitFor();
    assert.ok(!(await page.content()).includes(made.secret), 'the secret is gone');
    assert.equal(await scopesOf(made), 'content:read webhooks:read');
    await page.reload();
    await rowOf(page, 'Reports').getByText('Never').waitFor({ state: 'detached' });
  });

  test('works by keyboard alone; what is missing is said at its field, the first of which gets the focus', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    await page.getByRole('button', { name: 'Create client' }).press('Enter');
    await dialog(page).getByLabel('Name').waitFor();
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Give it a name').waitFor();
    await dialog(page).getByText('Enter an e-mail address').waitFor();
    await dialog(page).getByText('Choose at least one').waitFor();
    assert.ok(
      await dialog(page)
        .getByLabel('Name')
        .evaluate((field) => field.matches(':focus')),
    );
    await visit.assertAccessible();
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.type('keys@example.com');
    await page.keyboard.press('Enter');
    const first = dialog(page).getByRole('checkbox', { name: 'content:read' });
    await first.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByLabel('Client secret').waitFor();
    await page.keyboard.press('Escape');
    await takeSecret(page);
    await rowOf(page, 'By keyboard').getByText('Read content').waitFor();
  });

  test('says why it failed, and keeps what was typed', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    await page.route('**/ui/api/clients', (route) => route.abort());
    await page.getByRole('button', { name: 'Create client' }).click();
    await dialog(page).getByLabel('Name').fill('Later');
    await dialog(page).getByLabel('E-mail').fill('it@example.com');
    await dialog(page).getByRole('button', { name: 'All' }).click();
    await dialog(page).getByRole('button', { name: 'Create client' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await page.unroute('**/ui/api/clients');
    await dialog(page).getByRole('button', { name: 'Create client' }).click();
    await takeSecret(page);
    await rowOf(page, 'Later').getByText('Everything').waitFor();
  });

  test('asks before what was entered is thrown away, by Escape, by the cross, and by leaving the page', async () => {
    await using visit = await ui.visit('/accounts');
    const { page } = visit;
    await page.getByRole('link', { name: 'API clients' }).click();
    const form = page.getByRole('dialog', { name: 'Create an API client' });
    const asked = page.getByRole('dialog', { name: 'Close without saving?' });
    await page.getByRole('button', { name: 'Create client' }).click();
    await form.waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Create client' }).click();
    await form.getByLabel('Name').fill('Kept');
    await page.keyboard.press('Escape');
    await asked.waitFor();
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    assert.equal(await form.getByLabel('Name').inputValue(), 'Kept');

    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.goBack();
    await leaving.waitFor();
    await page.keyboard.press('Escape');
    await leaving.waitFor({ state: 'detached' });
    await form.waitFor();
    assert.equal(await asked.count(), 0);
    assert.equal(await form.getByLabel('Name').inputValue(), 'Kept');
    assert.equal(visit.address(), ADDRESS);

    await form.getByRole('banner').getByRole('button').click();
    await asked.getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create client' }).click();
    assert.equal(await form.getByLabel('Name').inputValue(), '');
  });

  test('makes one alone when the answer is lost and it is sent again, with a secret that works', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    await page.route('**/ui/api/clients', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Create client' }).click();
    await dialog(page).getByLabel('Name').fill('Once');
    await dialog(page).getByLabel('E-mail').fill('once@example.com');
    await dialog(page).getByRole('button', { name: 'All' }).click();
    await dialog(page).getByRole('button', { name: 'Create client' }).click();
    await dialog(page).getByRole('alert').waitFor();
    await page.unroute('**/ui/api/clients');
    await dialog(page).getByRole('button', { name: 'Create client' }).click();
    await tokenOf(await takeSecret(page));
    await page.getByRole('searchbox').fill('once@');
    await page.getByText('1–1 of 1').waitFor();
  });
});

describe('an API client', () => {
  test('gets another name and other scopes, which its next tokens have', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    const made = await create(page, 'Before');
    await act(page, 'Before', 'Edit…');
    await dialog(page).getByLabel('Name').fill(HOSTILE);
    await dialog(page).getByRole('checkbox', { name: 'webhooks:write' }).uncheck();
    await dialog(page).getByRole('checkbox', { name: 'content:write' }).uncheck();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await rowOf(page, HOSTILE).getByText('Read content, read webhooks, change registrations').waitFor();
    assert.equal(await scopesOf(made), 'content:read webhooks:read registrations:write');
  });

  test('that somebody else changes meanwhile is not overwritten unseen: what was entered stays, and may be saved again', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    const { id } = await create(page, 'Contested');
    await act(page, 'Contested', 'Edit…');
    await dialog(page).getByLabel('Name').fill('Contested: mine');
    await changeBeside(id, { name: 'Contested: theirs', enabled: false });
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    const alert = dialog(page).getByRole('alert');
    await alert.getByText('Someone else changed this client in the meantime').waitFor();
    assert.deepEqual(await alert.getByRole('listitem').allTextContents(), [
      'Name now: \u2068Contested: theirs\u2069',
      'State now: \u2068Disabled\u2069',
    ]);
    await visit.assertAccessible();
    assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Contested: mine');
    assert.equal((await readBeside(id)).name, 'Contested: theirs');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await rowOf(page, 'Contested: mine').getByText('Disabled').waitFor();
  });

  test('that somebody else changes meanwhile can be edited from its present state instead', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    const { id } = await create(page, 'Yielding');
    await act(page, 'Yielding', 'Edit…');
    await dialog(page).getByLabel('E-mail').fill('mine@example.com');
    await changeBeside(id, { name: 'Yielding: theirs' });
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByRole('button', { name: 'Start from its present state' }).click();
    await dialog(page).getByRole('alert').waitFor({ state: 'detached' });
    assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Yielding: theirs');
    assert.equal(await dialog(page).getByLabel('E-mail').inputValue(), 'it@example.com');
    await dialog(page).getByRole('checkbox', { name: 'content:write' }).uncheck();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    const { name, scopes } = await readBeside(id);
    assert.deepEqual([name, scopes.includes('content:write')], ['Yielding: theirs', false]);
  });

  test('that somebody else deletes meanwhile is said to be gone, when it is opened and when it is saved', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    const { id } = await create(page, 'Fleeting');
    await act(page, 'Fleeting', 'Edit…');
    await dialog(page).getByLabel('Name').fill('Too late');
    await beside((clients) => clients.delete(id));
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByRole('alert').getByText('This no longer exists').waitFor();
    assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Too late');

    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    const { id: second } = await create(page, 'Fleeting, too');
    await beside((clients) => clients.delete(second));
    await act(page, 'Fleeting, too', 'Edit…');
    await dialog(page).getByText('This no longer exists').waitFor();
  });

  test('without scopes, as the command line makes them, gets another name and stays without', async () => {
    const input = { name: 'From the command line', email: 'cli@example.com', scopes: [] };
    const { client } = await beside((clients) => clients.create(input));
    await using visit = await ui.visit(`${ADDRESS}?search=cli@`);
    const { page } = visit;
    await rowOf(page, 'From the command line').getByText('Nothing').waitFor();
    await act(page, 'From the command line', 'Edit…');
    await dialog(page).getByText('Without a scope its tokens allow nothing.').waitFor();
    await dialog(page).getByLabel('Name').fill('Renamed in the page');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Renamed in the page').getByText('Nothing').waitFor();
    await act(page, 'Renamed in the page', 'Edit…');
    await dialog(page).getByRole('button', { name: 'Only reading' }).click();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Renamed in the page').getByText('Only read').waitFor();
    assert.deepEqual((await readBeside(client.clientId)).scopes, ['content:read', 'webhooks:read']);

    await act(page, 'Renamed in the page', 'Edit…');
    for (const scope of ['content:read', 'webhooks:read']) {
      await dialog(page).getByRole('checkbox', { name: scope }).uncheck();
    }
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Choose at least one').waitFor();
  });

  test('gets a new secret; the former one works no longer', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    const former = await create(page, 'Renewed');
    await act(page, 'Renewed', 'New secret…');
    await page.getByRole('button', { name: 'Make new secret' }).click();
    const made = await takeSecret(page);
    assert.equal(made.id, former.id);
    await tokenOf(made);
    assert.equal(await scopesOf(former), 'invalid_client');
  });

  test('is shut out while it is disabled; the filter finds it', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    const made = await create(page, 'Paused');
    await act(page, 'Paused', 'Disable…');
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await rowOf(page, 'Paused').getByText('Disabled').waitFor();
    assert.equal(await scopesOf(made), 'invalid_client');
    await page.goto(`${ui.service.url}/ui${ADDRESS}?state=disabled&search=paus`);
    await rowOf(page, 'Paused').waitFor();
    assert.equal(await rowOf(page, 'it@example.com').count(), 1);
    await act(page, 'Paused', 'Enable');
    await page.getByText('Nothing fits').waitFor();
    await tokenOf(made);
  });

  test('that was used is deleted once its name was typed', async () => {
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    const made = await create(page, 'Old CRM');
    await tokenOf(made);
    await page.reload();
    await act(page, 'Old CRM', 'Delete…');
    await dialog(page).getByRole('button', { name: 'Delete client' }).click();
    await dialog(page).getByText('This is not the name.').waitFor();
    await dialog(page).getByRole('textbox').fill('Old CRM');
    await dialog(page).getByRole('button', { name: 'Delete client' }).click();
    await rowOf(page, 'Old CRM').waitFor({ state: 'detached' });
    assert.equal(await scopesOf(made), 'invalid_client');
  });
});

describe('the list of API clients', () => {
  test('is searched, narrowed, ordered and paged by the service; its address can be shared', async () => {
    await beside(async (clients) => {
      for (let number = 1; number <= 60; number++) {
        const two = String(number).padStart(2, '0');
        const input = { name: `Station ${two}`, email: `s${100 - number}@stations.example`, scopes: SCOPES };
        const { client } = await clients.create(input);
        if (number % 10 === 0) await clients.setEnabled(client.clientId, false);
      }
    });
    await using visit = await ui.visit(ADDRESS);
    const { page } = visit;
    const sizes: number[] = [];
    page.on('response', async (response) => {
      if (response.url().includes('/ui/api/clients?')) sizes.push((await response.json()).data.length);
    });
    const names = () => page.getByRole('row').getByText(/^Station \d\d$/);
    await page.getByRole('searchbox').fill('STATIONS.example');
    await page.getByText('1–50 of 60').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('51–60 of 60').waitFor();
    assert.deepEqual(await names().allTextContents(), stations(51, 60));
    await visit.arrived(/page=2/);
    await page.reload();
    await page.getByText('51–60 of 60').waitFor();

    await page.getByRole('button', { name: 'E-mail' }).click();
    await page.getByText('1–50 of 60').waitFor();
    await names().first().and(page.getByText('Station 60')).waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Disabled' }).click();
    await page.getByText('1–6 of 6').waitFor();
    assert.deepEqual(
      await names().allTextContents(),
      [60, 50, 40, 30, 20, 10].map((number) => `Station ${number}`),
    );
    const id = await page
      .getByText(/^cw_[0-9a-f]{24}$/)
      .first()
      .textContent();
    await page.getByRole('searchbox').fill(id?.slice(4, 18) ?? '');
    await page.getByText('1–1 of 1').waitFor();
    assert.deepEqual(await names().allTextContents(), ['Station 60']);
    assert.ok(sizes.length > 0 && sizes.every((size) => size <= 50), sizes.join());
  });

  test('is accessible in both schemes, and cards on a phone', async () => {
    await using visit = await ui.visit(ADDRESS);
    await visit.page.getByRole('row').filter({ hasText: 'example.com' }).first().waitFor();
    await visit.assertAccessible();
    await using phone = await ui.visit(ADDRESS, { phone: true });
    await phone.page.getByRole('listitem').filter({ hasText: 'example.com' }).first().waitFor();
    await phone.assertAccessible();
    await phone.assertNoSidewaysScrolling();
  });

  test('leads to the first one while there is none, and says when the service fails', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    let answer: { status: number; json: object } = { status: 500, json: {} };
    await page.route('**/ui/api/clients?*', (route) => route.fulfill(answer));
    await page.goto(`${ui.service.url}/ui${ADDRESS}`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await visit.assertAccessible();
    answer = { status: 200, json: { data: [], total: 0, limit: 50, offset: 0 } };
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No API clients yet').waitFor();
    await page.getByRole('button', { name: 'Create the first client' }).click();
    await page.getByRole('dialog', { name: 'Create an API client' }).waitFor();
  });

  test('is not for viewers', async () => {
    await using visit = await ui.visit(ADDRESS, { as: 'viewer' });
    await visit.page.getByRole('heading', { name: 'Not for viewers' }).waitFor();
    assert.equal(await visit.page.getByRole('link', { name: 'API clients' }).count(), 0);
  });
});
