import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { importCourse } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('a question about leaving a page, when what is running ends before someone answers', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  const questionIn = (page: Page) => page.getByRole('dialog', { name: 'Leave while this is running?' });

  it('goes back as asked after a deletion without failures', async () => {
    for (const name of ['Ending 1', 'Ending 2']) await ui.service.api.create('/accounts', { name });
    await using visit = await ui.visit('/content');
    const { page } = visit;
    await visit.go('/accounts?search=Ending');
    const { begun, release } = await holdRequests(page, /\/accounts\/\d+$/, { method: 'DELETE' });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel('Type 2 to confirm').fill('2');
    await page.keyboard.press('Enter');
    await begun;
    await page.goBack();
    await questionIn(page).waitFor();
    release();
    await page.getByText('2 accounts deleted.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
    await visit.arrived('/content');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('goes back from a dialog of a page to the page, not to the one before', async () => {
    const { id } = await ui.service.api.create('/accounts', { name: 'Kept' });
    await importCourse(ui.service, { name: 'Added late' });
    await using visit = await ui.visit('/accounts');
    const { page } = visit;
    await visit.go(`/accounts/${id}`);
    const { begun, release } = await holdRequests(page, '**/account-content/add', { method: 'POST' });
    const dialog = page.getByRole('dialog', { name: /^Add content to / });
    await page.getByRole('button', { name: 'Add content' }).click();
    await dialog.getByRole('checkbox', { name: /^Added late/ }).check();
    await dialog.getByRole('button', { name: 'Add 1 item' }).click();
    await begun;
    await page.goBack();
    await questionIn(page).waitFor();
    release();
    await page.getByText('1 item was added.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await visit.settled();
    assert.equal(visit.address(), `/accounts/${id}`);
    await page.getByRole('table', { name: 'Content of this account' }).getByText('Added late').waitFor();
    await page.getByRole('button', { name: 'Add content' }).click();
    await dialog.getByRole('checkbox', { name: /^Added late/ }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await visit.arrived('/accounts');
  });

  it('goes back as asked, and the result does not close the dialog that was opened again', async () => {
    const { id } = await ui.service.api.create('/accounts', { name: 'Adding' });
    await importCourse(ui.service, { name: 'Comes late' });
    await using visit = await ui.visit('/accounts');
    const { page } = visit;
    await visit.go(`/accounts/${id}`);
    const held = await holdRequests(page, '**/account-content/add', { method: 'POST' });
    const dialog = page.getByRole('dialog', { name: /^Add content to / });
    await page.getByRole('button', { name: 'Add content' }).click();
    await dialog.getByRole('checkbox', { name: /^Comes late/ }).check();
    await dialog.getByRole('button', { name: 'Add 1 item' }).click();
    await held.begun;
    await page.goBack();
    await questionIn(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await visit.arrived(`/accounts/${id}`);
    await page.getByRole('button', { name: 'Add content' }).click();
    await dialog.getByText('Select what to add.').waitFor();
    held.release();
    await page.getByText('1 item was added.').waitFor();
    await page.getByRole('table', { name: 'Content of this account' }).getByText('Comes late').waitFor();
    await visit.settled();
    assert.equal(visit.address(), `/accounts/${id}?add=yes`);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('stays with the failures of a deletion, and the next attempt asks again', async () => {
    for (const name of ['Failing 1', 'Failing 2']) await ui.service.api.create('/accounts', { name });
    await using visit = await ui.visit('/content');
    const { page } = visit;
    await visit.go('/accounts?search=Failing');
    const attempts = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const starts = attempts.map(() => Promise.withResolvers<void>());
    let attempt = 0;
    await page.route(/\/accounts\/\d+$/, async (route) => {
      if (route.request().method() !== 'DELETE') return await route.fallback();
      starts[attempt]?.resolve();
      await attempts[attempt]?.promise;
      await route.fulfill({ status: 500, body: '{}' });
    });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 2 accounts?' });
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await page.keyboard.press('Enter');
    await starts[0]!.promise;
    await page.goBack();
    await questionIn(page).waitFor();
    attempts[0]!.resolve();
    await questionIn(page).waitFor({ state: 'detached' });
    await dialog.getByText('2 accounts could not be deleted:').waitFor();
    await visit.arrived('/accounts?search=Failing');
    await visit.assertAccessible();
    attempt = 1;
    await dialog.getByRole('button', { name: 'Try these again' }).click();
    await starts[1]!.promise;
    await page.goBack();
    await questionIn(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
    await visit.arrived('/content');
    attempts[1]!.resolve();
  });
});
