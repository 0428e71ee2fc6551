import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { nextAddress } from '../../web/src/pages/sign-in/next-address.ts';
import { ADMIN_EMAIL, PASSWORD } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { until } from '../support/until.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';
import { hasValue } from './support/values.ts';

describe('signing in, signing out and the profile', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });

  async function signIn(page: Page, password = PASSWORD): Promise<void> {
    await page.getByLabel('E-mail').fill(ADMIN_EMAIL);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.keyboard.press('Enter');
  }

  describe('signing in on the page', () => {
    test('opens the requested page, with the query of its address', async () => {
      await using visit = await ui.visit('/administration/administrators?a=b', { as: 'nobody' });
      await visit.arrived(/^\/sign-in\?next=/);
      await signIn(visit.page);
      await heading(visit.page, 'Administrators').waitFor();
      assert.match(visit.address(), /^\/administration\/administrators/);
    });

    test('reports a wrong e-mail or password, clears the password and allows another try', async () => {
      await using visit = await ui.visit('/sign-in', { as: 'nobody' });
      const { page } = visit;
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('E-mail').and(page.locator(':focus[aria-invalid=true]')).waitFor();
      await signIn(page, 'not the password at all');
      await page.getByRole('alert').getByText('Wrong e-mail or password').waitFor();
      await hasValue(page.getByRole('textbox', { name: 'Password' }), '');
      await signIn(page);
      await visit.arrived('/');
    });

    test('redirects to no other origin, whatever the address requests', async () => {
      for (const next of [
        'https://example.com/',
        '//example.com/',
        '/\\example.com',
        '/a\\example.com',
        '/ /example.com',
        'javascript:alert(1)',
        'profile',
        '',
        7,
        `/${'a'.repeat(2_000)}`,
      ])
        assert.equal(nextAddress(next), null, String(next));
      assert.equal(nextAddress('/profile?a=b#c'), '/profile?a=b#c');
      await using visit = await ui.visit(`/sign-in?next=${encodeURIComponent('//example.com/')}`, {
        as: 'nobody',
      });
      await signIn(visit.page);
      await visit.arrived('/');
    });

    test('is not offered to those who are signed in', async () => {
      await using visit = await ui.visit('/sign-in?next=%2Fprofile');
      await heading(visit.page, 'Your profile').waitFor();
    });

    test('is accessible in both schemes and on a phone', async () => {
      await using visit = await ui.visit('/sign-in', { as: 'nobody', phone: true });
      await heading(visit.page, /Sign in/).waitFor();
      await visit.assertAccessible();
      await visit.assertNoSidewaysScrolling();
    });
  });

  describe('signing out on the page', () => {
    test('ends the session and clears loaded data', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      await page.getByRole('button', { name: 'Your account: Ann' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await heading(page, /Sign in/).waitFor();
      await page.goBack();
      await heading(page, /Sign in/).waitFor();
    });
  });

  describe('the profile', () => {
    test('saves another name, which appears in the menu immediately', async () => {
      await using visit = await ui.visit('/profile', { as: 'viewer' });
      const { page } = visit;
      await page.getByLabel('Name').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
      await page.getByLabel('Name').fill('Victoria <b>x</b>');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Your account: Victoria <b>x</b>' }).waitFor();
      const held = await holdRequests(page, '**/ui/api/profile');
      const save = page.getByRole('button', { name: 'Save' });
      await page.getByLabel('Name').fill(' Vic ');
      const [sent] = await Promise.all([page.waitForRequest('**/ui/api/profile'), save.click()]);
      await page.getByLabel('Name').fill('Typed later');
      held.release();
      await sent.response();
      await page.getByRole('button', { name: /^Your account: Vic\b/ }).waitFor();
      assert.equal(await page.getByLabel('Name').inputValue(), 'Typed later');
      await page.getByLabel('Name').fill('Vic');
      await page.getByRole('link', { name: 'Accounts' }).click();
      await heading(page, 'Accounts').waitFor();
    });

    test('asks before a changed name is discarded', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      await page.getByLabel('Name').fill('Somebody else');
      await page.getByRole('link', { name: 'System' }).click();
      const question = page.getByRole('dialog', { name: 'Leave without saving?' });
      await question.getByRole('button', { name: 'Stay' }).click();
      assert.equal(await page.getByLabel('Name').inputValue(), 'Somebody else');
      await page.getByRole('link', { name: 'System' }).click();
      await question.getByRole('button', { name: 'Leave' }).click();
      await heading(page, 'System').waitFor();
    });

    test('changes the password, shows errors at the fields, and ends other sessions', async () => {
      await using other = await ui.visit('/profile', { as: 'viewer' });
      await using visit = await ui.visit('/profile', { as: 'viewer' });
      const { page } = visit;
      const current = page.getByRole('textbox', { name: 'Current password' });
      const next = page.getByRole('textbox', { name: 'New password', exact: true });
      const repeat = page.getByRole('textbox', { name: 'Repeat the new password' });
      const change = page.getByRole('button', { name: 'Change password' });

      await change.click();
      await page.getByText('Enter your password').waitFor();
      await page.getByText('Use at least 12 characters').waitFor();
      await current.fill('not my password');
      await next.fill('another long password');
      await repeat.fill('another long password');
      await change.click();
      await page.getByText('This is not your current password').waitFor();
      await current.and(page.locator(':focus')).waitFor();
      await current.fill(PASSWORD);
      await change.click();
      await page.getByText('Your password was changed').waitFor();
      await hasValue(next, '');

      await other.page.reload();
      await heading(other.page, /Sign in/).waitFor();
      await current.fill('another long password');
      await next.fill(PASSWORD);
      await repeat.fill(PASSWORD);
      const changed = page.waitForResponse(
        (answer) => answer.url().endsWith('/ui/api/password') && answer.ok(),
      );
      await change.click();
      await changed;
    });

    test('lists one’s sessions, and ends one in another browser', async () => {
      await using other = await ui.visit('/profile', { as: 'viewer' });
      await using visit = await ui.visit('/profile', { as: 'viewer' });
      const { page } = visit;
      const rows = page.getByRole('table', { name: 'Where you are signed in' }).getByRole('row');
      const mine = rows.filter({ hasText: 'This session' });
      await mine.getByText('127.0.0.1').waitFor();
      assert.equal(await mine.getByRole('button').count(), 0, 'this one ends by signing out');
      const others = await rows.filter({ has: page.getByRole('button') }).count();
      const end = page.getByRole('button', { name: /^End the session of .*Unknown browser/ }).first();
      const dialog = page.getByRole('dialog', { name: 'End this session?' });

      await end.click();
      await dialog.getByText('127.0.0.1').waitFor();
      await visit.assertAccessible();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      // The latest session is first, and is this one.
      await end.focus();
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: 'End session' }).click();
      await page.getByText('The session has ended.').waitFor();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Sign out everywhere' }).and(page.locator(':focus')).waitFor();
      await until(
        async () => (await rows.filter({ has: page.getByRole('button') }).count()) === others - 1,
        'the list is read again',
      );

      await other.page.reload();
      await heading(other.page, /Sign in/).waitFor();
      await page.reload();
      await mine.waitFor();
    });

    test('signs out everywhere', async () => {
      await using other = await ui.visit('/profile', { as: 'viewer' });
      await using visit = await ui.visit('/profile', { as: 'viewer' });
      await visit.page.getByText('This session').waitFor();
      await visit.page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await visit.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      await heading(visit.page, /Sign in/).waitFor();
      await other.page.reload();
      await heading(other.page, /Sign in/).waitFor();
    });

    test('is accessible in both schemes and on a phone', async () => {
      await using visit = await ui.visit('/profile', { phone: true });
      await visit.page.getByText('This session').waitFor();
      await visit.assertAccessible();
      await visit.assertNoSidewaysScrolling();
    });
  });
});
