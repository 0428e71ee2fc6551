import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { SCOPES } from '../../src/identity/scopes.ts';
import { aroundTests } from '../support/around-tests.ts';
import { beside, CLIENTS, create, dialog, rowOf, scopesOf, takeSecret, tokenOf } from './support/clients.ts';
import { failUntilClick } from './support/fail-until-click.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';
import { hasValue } from './support/values.ts';

/** How long typing pauses before the address has the text. */
const TYPING_MS = 250;
/** Makes the pause last until `endPause` is called. */
const HOLD_PAUSE = `(() => {
  const { setTimeout } = window;
  window.setTimeout = (run, ms, ...rest) =>
    ms === ${TYPING_MS} ? void (window.endPause = run) : setTimeout(run, ms, ...rest);
})()`;

/** Types more text at the moment when the address has the text that was typed before. */
async function typeWhenAddressHas(page: Page, before: string, more: string): Promise<void> {
  await page.evaluate(
    ([part, text]) => {
      const { replaceState } = history;
      history.replaceState = (...given) => {
        replaceState.apply(history, given);
        if (!location.search.includes(part)) return;
        history.replaceState = replaceState;
        document.execCommand('insertText', false, text);
      };
    },
    [before, more] as const,
  );
}

describe('API clients', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  const stations = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => `Station ${from + at}`);

  describe('creating an API client', () => {
    test('shows its secret once, which gets tokens with the chosen scopes; then the list shows its use', async () => {
      await using visit = await ui.visit(CLIENTS);
      const { page } = visit;
      const made = await create(page, 'Reports', 'Read-only');
      await rowOf(page, 'Reports').getByText('Read-only').waitFor();
      await rowOf(page, 'Reports').getByText('Never').waitFor();
      assert.ok(!(await page.content()).includes(made.secret), 'the secret is gone');
      assert.equal(await scopesOf(ui.service, made), 'content:read webhooks:read statements:read');
      await page.reload();
      await rowOf(page, 'Reports').getByText('Never').waitFor({ state: 'detached' });
    });

    test('asks before its secret is lost by going back', async () => {
      await using visit = await ui.visit('/accounts');
      const { page } = visit;
      await page.getByRole('link', { name: 'API clients' }).click();
      await page.getByRole('button', { name: 'Create client' }).click();
      await dialog(page).getByLabel('Name').fill('Shown once');
      await dialog(page).getByLabel('E-mail').fill('it@example.com');
      await dialog(page).getByRole('button', { name: 'All' }).click();
      await dialog(page).getByRole('button', { name: 'Create client' }).click();
      const secret = await page.getByLabel('Client secret').inputValue();
      await page.goBack();
      const leaving = page.getByRole('dialog', { name: 'Leave without copying?' });
      await leaving.getByRole('button', { name: 'Stay' }).click();
      await leaving.waitFor({ state: 'detached' });
      assert.equal((await takeSecret(page)).secret, secret);
    });

    test('works with the keyboard alone; errors appear at their fields, and the first gets the focus', async () => {
      await using visit = await ui.visit(CLIENTS);
      const { page } = visit;
      await page.getByRole('button', { name: 'Create client' }).press('Enter');
      const name = dialog(page).getByLabel('Name').and(page.locator(':focus'));
      await name.waitFor();
      await page.keyboard.press('Enter');
      await dialog(page).getByText('Enter a name').waitFor();
      await dialog(page).getByText('Enter an e-mail address').waitFor();
      await dialog(page).getByText('Choose at least one').waitFor();
      await name.waitFor();
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

    test('asks before the input is discarded by Escape, by the close button, or by leaving the page', async () => {
      await using visit = await ui.visit('/accounts');
      const { page } = visit;
      await page.getByRole('link', { name: 'API clients' }).click();
      const form = page.getByRole('dialog', { name: 'Create an API client' });
      const asked = page.getByRole('dialog', { name: 'Close without saving?' });
      const button = page.getByRole('button', { name: 'Create client' });
      // Otherwise, the page could take the focus from the button.
      await page.locator('h1:focus').getByText('API clients').waitFor();
      await button.focus();
      await page.keyboard.press('Enter');
      await form.waitFor();
      await page.keyboard.press('Escape');
      await form.waitFor({ state: 'detached' });
      await button.and(page.locator(':focus')).waitFor();

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
      assert.equal(visit.address(), CLIENTS);

      await form.getByRole('banner').getByRole('button').click();
      await asked.getByRole('button', { name: 'Discard' }).click();
      await form.waitFor({ state: 'detached' });
      await button.and(page.locator(':focus')).waitFor();
      await page.getByRole('button', { name: 'Create client' }).click();
      await hasValue(form.getByLabel('Name'), '');
    });

    test('shows that it failed, keeps the input, and creates only one client, with a working secret, if only the response was lost', async () => {
      await using visit = await ui.visit(CLIENTS);
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
      await tokenOf(ui.service, await takeSecret(page));
      await rowOf(page, 'once@example.com').getByText('All', { exact: true }).waitFor();
      await page.getByRole('searchbox').fill('once@');
      await page.getByText('1–1 of 1').waitFor();
    });
  });

  describe('the list of API clients', () => {
    test('is accessible; it is searched, filtered, ordered and paged by the service, and its address can be shared', async () => {
      await beside(ui.service, async (clients) => {
        for (let number = 1; number <= 60; number++) {
          const two = String(number).padStart(2, '0');
          const input = {
            name: `Station ${two}`,
            email: `s${100 - number}@stations.example`,
            scopes: SCOPES,
          };
          const { client } = await clients.create(input, COMMAND_LINE);
          if (number % 10 === 0) await clients.setEnabled(client.clientId, false, COMMAND_LINE);
        }
      });
      await using visit = await ui.visit(CLIENTS);
      const { page } = visit;
      const sizes: number[] = [];
      page.on('response', async (response) => {
        if (!response.url().includes('/ui/api/clients?')) return;
        // A response that arrives while the page is reloaded has no body any more.
        const body = await response.json().catch(() => null);
        if (body !== null) sizes.push(body.data.length);
      });
      const names = () => page.getByRole('row').getByText(/^Station \d\d$/);
      const search = page.getByRole('searchbox');
      await typeWhenAddressHas(page, 'search=STATIONS', '.example');
      await search.fill('STATIONS');
      await visit.arrived(/search=STATIONS\.example/);
      assert.equal(await search.inputValue(), 'STATIONS.example');
      await page.getByText('1–50 of 60').waitFor();
      await visit.assertAccessible();
      await visit.showScheme('light');
      await visit.go(`${CLIENTS}?search=STATIONS.example&page=9`);
      await page.getByText('This page does not exist').waitFor();
      await page.getByRole('button', { name: 'Go to the first page' }).click();
      await page.getByText('1–50 of 60').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('51–60 of 60').waitFor();
      assert.deepEqual(await names().allTextContents(), stations(51, 60));
      await visit.arrived(/page=2/);
      await page.goBack();
      await page.getByText('1–50 of 60').waitFor();
      await page.goForward();
      await page.getByText('51–60 of 60').waitFor();
      await page.reload();
      await page.getByText('51–60 of 60').waitFor();

      await page.getByRole('button', { name: 'E-mail' }).click();
      await page.getByText('1–50 of 60').waitFor();
      await page
        .getByRole('columnheader', { name: 'E-mail' })
        .and(page.locator('[aria-sort=ascending]'))
        .waitFor();
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
      await visit.go(`${CLIENTS}?search=STATIONS&size=25`);
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
      await page.getByRole('button', { name: 'Select all 60' }).click();
      await page.getByText('60 selected', { exact: true }).waitFor();

      const held = await holdRequests(page, /\/assets\/account-list-page.*\.js/);
      await page.evaluate(HOLD_PAUSE);
      await search.fill('typed before leaving');
      await page.getByRole('link', { name: 'Accounts', exact: true }).press('Enter');
      await held.begun;
      await page.evaluate('endPause()');
      await visit.settled();
      held.release();
      await page.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();
      assert.equal(new URL(page.url()).search, '', 'the next page has no search that was typed before');
    });

    test('shows cards on a phone', async () => {
      await beside(ui.service, (clients) =>
        clients.create({ name: 'Pocket', email: 'pocket@example.com', scopes: SCOPES }, COMMAND_LINE),
      );
      await using phone = await ui.visit(CLIENTS, { phone: true });
      await phone.page.getByRole('listitem').filter({ hasText: 'example.com' }).first().waitFor();
      await phone.assertAccessible();
      await phone.assertNoSidewaysScrolling();
    });

    test('suggests creating the first client while it is empty, and shows a failure of the service', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      let answer: { status: number; json: object } = { status: 500, json: {} };
      await page.route('**/ui/api/clients?*', (route) => route.fulfill(answer));
      await visit.go(CLIENTS);
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      await visit.assertAccessible();
      await page.evaluate(failUntilClick('/ui/api/clients?'));
      answer = { status: 200, json: { data: [], total: 0, limit: 50, offset: 0 } };
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No API clients yet').waitFor();
      await page.getByRole('button', { name: 'Create the first client' }).click();
      await page.getByRole('dialog', { name: 'Create an API client' }).waitFor();
    });
  });
});
