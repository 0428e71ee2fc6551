import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAdministrator, PASSWORD } from '../support/administration.ts';
import { failed, holdRequests } from './support/held-requests.ts';
import { startUi } from './support/ui.ts';

describe('the first administrator', () => {
  test('learns where the one-time link is, and uses it with the keyboard alone', async () => {
    let announced = '';
    await using ui = await startUi({
      people: false,
      announce: (text) => {
        announced = text;
      },
    });
    const link = /http\S+\/ui(\/setup#token=\S+)/.exec(announced)?.[1];
    assert.ok(link !== undefined, announced);

    {
      await using visit = await ui.visit('/', { as: 'nobody' });
      await visit.page.getByRole('heading', { name: 'Set up Coursewire' }).waitFor();
      await visit.assertAccessible();
    }

    await using visit = await ui.visit(link, { as: 'nobody' });
    const { page } = visit;
    await page.getByRole('heading', { name: 'Welcome to Coursewire' }).waitFor();
    assert.equal(visit.address(), '/setup', 'the token stays in no address');
    await visit.assertAccessible();
    await page.reload();
    await page.getByLabel('Your name').focus();
    await page.keyboard.insertText('🎓'.repeat(201));
    await page.keyboard.press('Enter');
    await page.getByText('Use at most 200 characters').waitFor();
    await page.getByLabel('Your name').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Ada');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Tab');
    await page.keyboard.type('something else');
    await page.keyboard.press('Enter');
    await page.getByText('The passwords do not match').waitFor();
    // The field to correct has the focus.
    await page.getByLabel('Repeat the password').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(PASSWORD);
    const saving = await holdRequests(page, '**/ui/api/setup', { method: 'POST', respond: failed });
    const save = page.getByRole('button', { name: 'Save and sign in' }).and(page.locator(':focus'));
    await page.getByRole('button', { name: 'Save and sign in' }).press('Enter');
    await saving.begun;
    await visit.settled();
    saving.release();
    await page.getByText('Something went wrong').waitFor();
    await save.waitFor();
    await page.unrouteAll();
    await page.keyboard.press('Enter');
    await visit.arrived('/');
    await page.getByRole('button', { name: 'Your account: Ada' }).waitFor();

    await using second = await ui.visit(link, { as: 'nobody' });
    await second.page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  });

  test('can sign in without a reload if created on the command line in the meantime', async () => {
    await using ui = await startUi({ people: false });
    await using visit = await ui.visit('/', { as: 'nobody' });
    await visit.page.getByRole('heading', { name: 'Set up Coursewire' }).waitFor();
    const again = visit.page.getByRole('button', { name: 'Check again' });
    await again.focus();
    const checking = await holdRequests(visit.page, '**/ui/api/session');
    await checking.begun;
    await visit.settled();
    // It also checks by itself every few seconds.
    await again.and(visit.page.locator(':focus')).waitFor();
    checking.release();
    await again.and(visit.page.locator(':not([aria-disabled=true])')).waitFor();
    await createAdministrator(ui.service.settings.data_dir);
    await again.click();
    await visit.page.getByRole('heading', { name: /Sign in/ }).waitFor();
  });
});
