import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ADMIN_EMAIL, PASSWORD } from '../support/administration.ts';
import { startUi, type Ui } from './support/ui.ts';

let ui: Ui;
before(async () => {
  ui = await startUi();
});
after(() => ui[Symbol.asyncDispose]());

describe('signing in', () => {
  test('leads to the page that was asked for, and says whose session it is', async () => {
    await using visit = await ui.visit('/profile', { as: 'nobody' });
    const { page } = visit;
    await page.getByLabel('E-mail').fill(ADMIN_EMAIL);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your profile', level: 1 }).waitFor();
    assert.equal(visit.address(), '/profile');
  });
});
