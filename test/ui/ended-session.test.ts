import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isolate } from '../../web/src/utilities/isolate.ts';
import {
  ADMIN_EMAIL,
  createAdministrator,
  PASSWORD,
  signedInBrowser,
  VIEWER_EMAIL,
} from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { CLIENTS, takeSecret } from './support/clients.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('a session that ends while a page is open', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  it('is renewed over the page without losing the input', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByLabel('Name').fill('Ann with a change');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    assert.equal(await dialog.getByLabel('E-mail').inputValue(), ADMIN_EMAIL);
    await visit.assertAccessible();
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ann with a change');
  });

  it('does not hide what someone else changed in an edited alert in the meantime, and names nothing after that is saved', async () => {
    const { api } = ui.service;
    const alert = await api.create('/alerts', {
      name: 'Overnight',
      condition: 'WEBHOOK_IN_ERROR',
      minutes: 5,
      target: { format: 'JSON', url: 'https://pager.example/' },
    });
    await using visit = await ui.visit(`/administration/alerts/${alert.id}/edit`);
    const { page } = visit;
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByRole('textbox', { name: 'Name' }).fill('In the morning');
    await page.context().clearCookies();
    await api.put(`/alerts/${alert.id}`, { ...alert, minutes: 7 });
    await save.click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    const readAgain = page.waitForResponse(`**/alerts/${alert.id}`);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await readAgain;
    await save.click();
    const conflict = page.getByRole('alert').filter({ hasText: 'Someone else has changed this alert' });
    await conflict.waitFor();
    assert.deepEqual(await conflict.getByRole('listitem').allTextContents(), [
      `Condition now: ${isolate('Webhook in error for 7 minutes')}`,
    ]);
    await page.reload();
    await page.getByRole('textbox', { name: 'Name' }).fill('At noon');
    await page.evaluate(`new MutationObserver(() => {
      if (document.body.textContent.includes('Someone else')) window.hasConflict = true;
    }).observe(document.body, { subtree: true, childList: true })`);
    await save.click();
    await page.getByRole('heading', { name: 'At noon' }).waitFor();
    assert.equal(await page.evaluate('window.hasConflict'), undefined);
    await api.delete(`/alerts/${alert.id}`);
  });

  it('is renewed over the page, even if files of the UI have been replaced since', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.clock.install();
    // The page's clock runs, so that on a busy machine the time may be over before the test lets it pass.
    const isLoaded = page.waitForResponse(/\/sign-in-again-[^/]*\.js$/);
    await page.reload();
    await page.getByLabel('Name').fill('Ann after an upgrade');
    await page.clock.runFor(10_000);
    await isLoaded;
    await page.route('**/ui/assets/**', (route) => route.fulfill({ status: 404 }));
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ann after an upgrade');
  });

  it('is renewed in a new tab if the dialog cannot be loaded, and the input is kept', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByLabel('Name').fill('Ann with two tabs');
    await page.route('**/ui/assets/**', (route) => route.fulfill({ status: 404 }));
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'Your session has ended' });
    const opened = page.waitForEvent('popup');
    await notice.getByRole('link', { name: 'Sign in in a new tab' }).click();
    const tab = await opened;
    await tab.getByLabel('E-mail').fill(ADMIN_EMAIL);
    await tab.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    await tab.close();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('was saved').waitFor();
    await notice.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ann with two tabs');
  });

  it('is renewed with the keyboard, whose focus then returns to where it was, and the form has no error', async () => {
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await page.getByRole('button', { name: 'Create client' }).click();
    const form = page.getByRole('dialog', { name: 'Create an API client' });
    await form.getByLabel('Name').fill('Typed');
    await form.getByLabel('E-mail').fill('it@example.com');
    await form.getByRole('button', { name: 'Read-only' }).click();
    await page.context().clearCookies();
    const submit = form.getByRole('button', { name: 'Create client' });
    await submit.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByRole('textbox', { name: 'Password' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await submit.and(page.locator(':focus')).waitFor();
    assert.equal(await form.getByRole('alert').count(), 0);
    await page.keyboard.press('Enter');
    await takeSecret(page);
  });

  it('is renewed over a form in a dialog, with the mouse, and the Escape key has no effect on the form in the meantime', async () => {
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    await page.getByRole('button', { name: 'Create client' }).click();
    const form = page.getByRole('dialog', { name: 'Create an API client' });
    await form.getByLabel('Name').fill('Escaped');
    await form.getByLabel('E-mail').fill('it@example.com');
    await form.getByRole('button', { name: 'Read-only' }).click();
    await page.context().clearCookies();
    await form.getByRole('button', { name: 'Create client' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    const password = dialog.getByRole('textbox', { name: 'Password' });
    await password.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.type(PASSWORD);
    assert.equal(await password.inputValue(), PASSWORD, 'the password field keeps the focus');
    // A click outside of the dialog leaves the focus on the page itself.
    await page.mouse.click(2, 2);
    await page.keyboard.press('Escape');
    assert.equal(await page.getByText('Discard', { exact: true }).count(), 0);
    await password.click();
    await password.and(page.locator(':focus')).waitFor();
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await form.getByLabel('Name').inputValue(), 'Escaped');
    await form.getByLabel('Name').press('Escape');
    const discard = page.getByRole('button', { name: 'Discard' });
    await discard.waitFor();
    await page.keyboard.press('Escape');
    await discard.waitFor({ state: 'detached' });
    await form.getByRole('button', { name: 'Create client' }).click();
    await takeSecret(page);
  });

  it('must be renewed if someone else signs in in another tab, so that nothing is saved as theirs', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByLabel('Name').fill('Ann beside Vic');
    const { cookies } = await signedInBrowser(ui.service.url, VIEWER_EMAIL);
    const viewers = Array.from(cookies, ([name, value]) => ({ name, value, url: ui.service.url }));
    await page.context().addCookies(viewers);
    // As a person does who returns to the tab.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByText(`${isolate('Vic')} has signed in in another tab.`).waitFor();
    assert.equal(await dialog.getByLabel('E-mail').inputValue(), ADMIN_EMAIL);
    await visit.assertAccessible();
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your name was saved.').waitFor();
    await page.getByRole('button', { name: /Ann beside Vic/ }).waitFor();
  });

  it('saves nothing as someone else, even if the dialog that asks to sign in cannot be loaded', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByLabel('Name').fill('Ann under another name');
    await page.route('**/ui/assets/**', (route) => route.fulfill({ status: 404 }));
    const vic = await signedInBrowser(ui.service.url, VIEWER_EMAIL);
    const viewers = Array.from(vic.cookies, ([name, value]) => ({ name, value, url: ui.service.url }));
    await page.context().addCookies(viewers);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    const notice = page.getByRole('alert').filter({ hasText: 'Your session has ended' });
    await notice.getByText(`${isolate('Vic')} has signed in in another tab. Sign out there first.`).waitFor();
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    await save.and(page.locator(':enabled')).waitFor();
    assert.equal((await vic.get('/ui/api/session')).body.administrator.name, 'Vic');
    assert.equal(await page.getByLabel('Name').inputValue(), 'Ann under another name');
  });

  it('pauses what runs on the page if someone else signs in in another tab, until the session is renewed', async () => {
    const email = 'otto@example.com';
    await createAdministrator(ui.service.settings.data_dir, { email, name: 'Otto' });
    const ids: number[] = [];
    for (const name of ['Ours 1', 'Ours 2', 'Ours 3'])
      ids.push((await ui.service.api.create('/accounts', { name })).id);
    await using visit = await ui.visit('/accounts?search=Ours');
    const { page } = visit;
    const held = await holdRequests(page, /\/accounts\/\d+$/, { method: 'DELETE' });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const run = page.getByRole('dialog', { name: 'Delete 3 accounts?' });
    await run.getByLabel('Type 3 to confirm').fill('3');
    await page.keyboard.press('Enter');
    await held.begun;
    const { cookies } = await signedInBrowser(ui.service.url, email);
    const others = Array.from(cookies, ([name, value]) => ({ name, value, url: ui.service.url }));
    await page.context().addCookies(others);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    const other = dialog.getByText(`${isolate('Otto')} has signed in in another tab.`);
    await other.waitFor();
    held.release();
    // The dialog that asks to sign in covers them.
    const end = page.locator('button', { hasText: 'Continue' });
    await end.or(page.getByText('3 accounts deleted.')).first().waitFor();
    assert.equal(held.count(), 1);
    await other.waitFor();
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await run.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('3 accounts deleted.').waitFor();
    for (const id of ids) assert.equal((await ui.service.api.get(`/accounts/${id}`)).status, 404);
  });
});
