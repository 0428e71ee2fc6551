import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN_EMAIL, PASSWORD } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startPrefixProxy } from '../support/prefix-proxy.ts';
import { until } from '../support/until.ts';
import { failUntilClick } from './support/fail-until-click.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('the shell of the admin UI', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });
  const menu = (page: Page) => page.getByRole('navigation', { name: 'Main' });
  /** Opens an account from its list with the keyboard. Its page is read once the returned function is called. */
  const openSlowly = async (page: Page, id: number, name: string) => {
    const held = Promise.withResolvers<void>();
    await page.route(`**/accounts/${id}`, async (route) => {
      if (route.request().resourceType() === 'fetch') await held.promise;
      await route.continue();
    });
    await page.getByRole('link', { name }).focus();
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    return held.resolve;
  };

  describe('navigation', () => {
    test('announces the page to browser and screen reader, and moves the focus to its heading', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      await heading(page, 'Your profile').waitFor();
      await menu(page).getByRole('link', { name: 'Administrators' }).click();
      await page.locator('h1:focus').getByText('Administrators').waitFor();
      await until(async () => (await page.title()) === 'Administrators · Coursewire', 'the title names it');
      assert.equal(
        await menu(page).getByRole('link', { name: 'Administrators' }).getAttribute('aria-current'),
        'page',
      );
      await page.getByRole('status').getByText('Administrators · Coursewire').waitFor({ state: 'attached' });
    });

    test('names the record that is shown in the title and to screen readers, also one that was shown before', async () => {
      const { api } = ui.service;
      const [{ id: first }, { id: second }] = [
        await api.create('/accounts', { name: 'First' }),
        await api.create('/accounts', { name: 'Second' }),
      ];
      await using visit = await ui.visit(`/accounts/${first}`);
      const { page } = visit;
      const titled = (title: string) => until(async () => (await page.title()) === title, title);
      await titled('First · Coursewire');
      await visit.go('/accounts');
      await titled('Accounts · Coursewire');
      await visit.go(`/accounts/${first}`);
      await heading(page, 'First').waitFor();
      await titled('First · Coursewire');
      await visit.go(`/accounts/${second}`);
      await page.getByRole('status').getByText('Second · Coursewire').waitFor({ state: 'attached' });
      await titled('Second · Coursewire');
      await visit.go('/accounts/4711');
      await titled('Account · Coursewire');
    });

    test('announces a page that cannot be read, and its name once it can', async () => {
      const { id } = await ui.service.api.create('/accounts', { name: 'Read later' });
      await using visit = await ui.visit('/administration/administrators');
      const { page } = visit;
      await heading(page, 'Administrators').waitFor();
      const announced = (title: string) =>
        page.getByRole('status').getByText(title, { exact: true }).waitFor({ state: 'attached' });
      const address = `**/accounts/${id}*`;
      await page.route(address, (route) => route.fulfill({ status: 500, body: '{}' }));
      await visit.go(`/accounts/${id}`);
      await announced('Account · Coursewire');
      await page.evaluate(failUntilClick(`/accounts/${id}`));
      await page.unroute(address);
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await announced('Read later · Coursewire');
    });

    test('moves the focus to the heading of a page that is read first, as soon as there is one', async () => {
      const { id } = await ui.service.api.create('/accounts', { name: 'Read first' });
      await using visit = await ui.visit('/accounts');
      const { page } = visit;
      const read = await openSlowly(page, id, 'Read first');
      read();
      await page.locator('h1:focus').getByText('Read first').waitFor();
    });

    test('leaves the focus where someone has put it while a page was read', async () => {
      const { id } = await ui.service.api.create('/accounts', { name: 'Read slowly' });
      await using visit = await ui.visit('/accounts');
      const { page } = visit;
      const read = await openSlowly(page, id, 'Read slowly');
      await menu(page).getByRole('link', { name: 'Content' }).focus();
      read();
      await heading(page, 'Read slowly').waitFor();
      await menu(page).getByRole('link', { name: 'Content' }).and(page.locator(':focus')).waitFor();
    });

    test('is skipped by the first key on the keyboard', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      await heading(page, 'Your profile').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      assert.equal(
        await page.locator(':focus').inputValue(),
        'Ann',
        'the first field of the page has the focus',
      );
    });

    test('has a menu on a phone that opens, closes and navigates', async () => {
      await using visit = await ui.visit('/profile', { phone: true });
      const { page } = visit;
      await page.getByRole('button', { name: 'Open menu' }).click();
      await visit.assertAccessible();
      await menu(page).getByRole('link', { name: 'Administrators' }).click();
      await heading(page, 'Administrators').waitFor();
      await page.getByRole('button', { name: 'Open menu' }).waitFor();
    });

    test('offers viewers webhooks and events, and nothing else of the administration', async () => {
      await using visit = await ui.visit('/profile', { as: 'viewer' });
      await menu(visit.page).getByRole('link', { name: 'Registrations' }).waitFor();
      for (const name of ['Webhooks', 'Events', 'Dead letters'])
        await menu(visit.page).getByRole('link', { name }).waitFor();
      for (const name of ['API clients', 'Administrators', 'System'])
        assert.equal(await menu(visit.page).getByRole('link', { name }).count(), 0, name);
    });

    test('shows at an unknown address that there is no page, with a link back', async () => {
      await using visit = await ui.visit('/nothing/here');
      await heading(visit.page, 'Page not found').waitFor();
      await visit.assertAccessible();
      await visit.page.getByRole('link', { name: 'Go to the dashboard' }).click();
      await visit.arrived('/');
    });
  });

  describe('the appearance', () => {
    test('is remembered as chosen', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      await page.getByRole('button', { name: 'Your account' }).click();
      await page.getByText('Dark', { exact: true }).click();
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
      await page.reload();
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    });
  });

  describe('a service that does not answer', () => {
    test('is reported above the page until it responds again', async () => {
      await using visit = await ui.visit('/administration/administrators');
      const { page } = visit;
      await page.getByText('vic@example.com').waitFor();
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('E-mail').fill('late@example.com');
      await page.getByRole('button', { name: 'Create invitation link' }).click();
      await page.getByRole('alert').getByText('The service is not responding').waitFor();
      const notice = page.getByText('What you see may be out of date');
      await notice.waitFor();
      await page.context().setOffline(false);
      await notice.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Create invitation link' }).click();
      await page.getByLabel('One-time link').waitFor();
    });

    test('is reported in place of a new page, which opens without a click once it responds', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      await heading(page, 'Your profile').waitFor();
      await page.context().setOffline(true);
      await menu(page).getByRole('link', { name: 'System' }).click();
      await page.getByRole('main').getByText('The service is not responding').waitFor();
      assert.equal(await page.getByText('Coursewire was updated').count(), 0);
      await visit.assertAccessible();
      await page.context().setOffline(false);
      await heading(page, 'System').waitFor();
    });

    test('is shown in place of a list that could not be loaded, which appears without a click once the service responds', async () => {
      await ui.service.api.create('/accounts', { name: 'Northwind' });
      await ui.service.api.create('/accounts', { name: 'Southridge' });
      await using visit = await ui.visit('/accounts');
      const { page } = visit;
      await page.getByRole('link', { name: 'Southridge' }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('searchbox').fill('north');
      const problem = page.getByRole('heading', { name: 'The service is not responding' });
      await problem.waitFor();
      await page.getByText('Check your connection.').waitFor();
      await page.getByText('What you see may be out of date').waitFor();
      await visit.assertAccessible();
      await page.context().setOffline(false);
      await page.getByRole('link', { name: 'Northwind' }).waitFor();
      // The list from before the search may be shown while the new one is loaded.
      await page.getByRole('link', { name: 'Southridge' }).waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('link', { name: 'Northwind' }).count(), 1);
      assert.equal(await problem.count(), 0);
      await page.getByText('What you see may be out of date').waitFor({ state: 'detached' });
    });

    test('is reported above a list, which stays on the page', async () => {
      const target_url = 'http://127.0.0.1:9/';
      await ui.service.api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url });
      await using visit = await ui.visit('/administration/integrations/webhooks');
      const { page } = visit;
      const row = page.getByRole('link', { name: 'CRM' });
      await row.waitFor();
      await page.context().setOffline(true);
      const problem = page
        .getByRole('region', { name: 'Webhooks' })
        .getByText('The service is not responding');
      await problem.waitFor();
      assert.equal(await row.count(), 1);
      await page.context().setOffline(false);
      await problem.waitFor({ state: 'detached' });
      assert.equal(await row.count(), 1);
    });

    test('has an error page that shows what happened and what to do, without internals', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      await page.route('**/ui/api/administrators', (route) =>
        route.fulfill({ status: 500, body: '<h1>stack trace</h1>', contentType: 'text/html' }),
      );
      await menu(page).getByRole('link', { name: 'Administrators' }).click();
      await page.getByRole('alert').getByText('Something went wrong').waitFor();
      assert.equal(await page.getByText('stack trace').count(), 0);
      await visit.assertAccessible();
      await page.evaluate(failUntilClick('/ui/api/administrators'));
      await page.unroute('**/ui/api/administrators');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('vic@example.com').waitFor();
    });
  });

  for (const handling of ['takes it off', 'hands it on'] as const) {
    test(`the admin UI works below a path, behind a proxy that ${handling}`, async () => {
      await using proxy = await startPrefixProxy('/learning/wire', handling);
      await using prefixed = await startUi({ settings: { base_url: proxy.url } });
      proxy.target = prefixed.service.url;
      await using visit = await prefixed.visit('/profile', { as: 'nobody', url: proxy.url });
      const { page } = visit;
      await heading(page, /Sign in/).waitFor();
      await page.getByLabel('E-mail').fill(ADMIN_EMAIL);
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await heading(page, 'Your profile').waitFor();
      await page.reload();
      await menu(page).getByRole('link', { name: 'Administrators' }).click();
      await page.getByText('vic@example.com').waitFor();
      assert.equal(page.url(), `${proxy.url}/ui/administration/administrators`);
    });
  }
});
