import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { PASSWORD, signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { type HeldRequests, holdRequests } from './support/held-requests.ts';
import { PHONE, startUi, type Ui } from './support/ui.ts';

const ADDRESS = '/administration/administrators';

describe('administrators', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  async function invite(page: Page, email: string, role = 'Viewer'): Promise<string> {
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('radio', { name: role }).check();
    await page.getByRole('button', { name: 'Create invitation link' }).click();
    const link = await page.getByLabel('One-time link').inputValue();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    return link.replace(/^.*\/ui\//, '/');
  }

  /** Invites someone as another administrator does. Returns the id. */
  async function inviteBeside(email: string, role = 'viewer'): Promise<number> {
    const ann = await signedInBrowser(ui.service.url);
    const { status, body } = await ann.post('/ui/api/administrators', { email, role });
    assert.equal(status, 201);
    return body.id;
  }

  async function act(page: Page, whose: string, item: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${isolate(whose)}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  }

  describe('inviting an administrator', () => {
    test('creates a link with which the invited person chooses name and password, once', async () => {
      await using visit = await ui.visit(ADDRESS);
      const link = await invite(visit.page, 'grace@example.com', 'Administrator');
      await rowOf(visit.page, 'grace@example.com').getByText('Invited').waitFor();

      await using invited = await ui.visit(link, { as: 'nobody' });
      const { page } = invited;
      await page.getByLabel('Your name').fill('Grace');
      assert.equal(await page.getByLabel('E-mail').inputValue(), 'grace@example.com');
      await page.getByRole('textbox', { name: 'Password', exact: true }).fill(PASSWORD);
      await page.getByRole('textbox', { name: 'Repeat the password' }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Save and sign in' }).click();
      await page.getByRole('button', { name: 'Your account: Grace' }).waitFor();

      await visit.page.reload();
      await rowOf(visit.page, 'Grace').getByText('Active').waitFor();
    });

    test('shows an invalid address at its field, and names a conflict; page and dialog are accessible', async () => {
      await using visit = await ui.visit(ADDRESS);
      const { page } = visit;
      await rowOf(page, 'Ann').waitFor();
      await visit.assertAccessible();
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('dialog', { name: 'Invite someone' }).waitFor();
      await visit.assertAccessible();
      await page.getByLabel('E-mail').fill('nobody');
      await page.getByRole('button', { name: 'Create invitation link' }).click();
      await page.getByText('Enter an e-mail address').waitFor();
      await page.getByLabel('E-mail').fill('vic@example.com');
      await page.getByRole('button', { name: 'Create invitation link' }).click();
      await page.getByRole('alert').getByText('vic@example.com already').waitFor();
    });

    test('a second time creates a new link that ends the former one', async () => {
      await using visit = await ui.visit(ADDRESS);
      const { page } = visit;
      const former = await invite(page, 'linus@example.com');
      await act(page, 'linus@example.com', 'New invitation link');
      await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
      const link = (await page.getByLabel('One-time link').inputValue()).replace(/^.*\/ui\//, '/');
      assert.notEqual(link, former);
      await using late = await ui.visit(former, { as: 'nobody' });
      await late.page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    });
  });

  describe('a one-time link', () => {
    const askForLink = async (page: Page, email: string) => {
      await act(page, email, 'New invitation link');
      await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
    };

    test('stays until it was copied, even if the phone is turned', async () => {
      await inviteBeside('turned@example.com');
      await using visit = await ui.visit(ADDRESS, { phone: true });
      const { page } = visit;
      await askForLink(page, 'turned@example.com');
      const link = page.getByLabel('One-time link');
      const shown = await link.inputValue();
      await page.setViewportSize({ width: 1_180, height: PHONE.width });
      await rowOf(page, 'turned@example.com').waitFor({ state: 'attached' });
      assert.equal(await link.inputValue(), shown);
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await link.waitFor({ state: 'detached' });
    });

    test('is shown even if the dialog was closed before it was made', async () => {
      await inviteBeside('closed@example.com');
      await using visit = await ui.visit(ADDRESS);
      const { page } = visit;
      const closed = Promise.withResolvers<void>();
      await page.route('**/administrators/*/link', async (route) => {
        await closed.promise;
        await route.continue();
      });
      await askForLink(page, 'closed@example.com');
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      closed.resolve();
      assert.match(await page.getByLabel('One-time link').inputValue(), /^http/);
      await page.getByText('closed@example.com').last().waitFor();
    });

    test('asks before the page is left while it is made, and is shown then', async () => {
      await inviteBeside('left@example.com');
      await using visit = await ui.visit(ADDRESS);
      const { page } = visit;
      const question = page.getByRole('dialog', { name: 'Leave now?' });
      const takeInTime = async (held: HeldRequests) => {
        await held.begun;
        const leave = async () => {
          // A request may be sent before the page has drawn that it waits.
          await visit.settled();
          await page.evaluate(`void __TSR_ROUTER__.navigate({ href: '/accounts' })`);
        };
        await leave();
        await question.getByRole('button', { name: 'Stay' }).click();
        await question.waitFor({ state: 'detached' });
        await leave();
        await question.waitFor();
        held.release();
        await question.waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'I have copied it' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await visit.arrived(ADDRESS);
      };
      const link = await holdRequests(page, '**/administrators/*/link');
      await askForLink(page, 'left@example.com');
      await takeInTime(link);
      const invitation = await holdRequests(page, '**/ui/api/administrators', { method: 'POST' });
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('E-mail').fill('another@example.com');
      await page.getByRole('button', { name: 'Create invitation link' }).click();
      await takeInTime(invitation);
    });
  });

  describe('changing an administrator', () => {
    test('works for an invited person’s role before they have a name', async () => {
      await inviteBeside('edsger@example.com');
      await using visit = await ui.visit(ADDRESS);
      const { page } = visit;
      await act(page, 'edsger@example.com', 'Edit');
      await page.getByRole('radio', { name: 'Administrator' }).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await rowOf(page, 'edsger@example.com').getByText('Administrator').waitFor();
    });

    test('keeps what another administrator changed in the meantime', async () => {
      const id = await inviteBeside('barbara@example.com', 'admin');
      await using visit = await ui.visit(ADDRESS);
      await act(visit.page, 'barbara@example.com', 'Edit');
      await visit.page.getByRole('radio', { name: 'Administrator', checked: true }).waitFor();
      const ann = await signedInBrowser(ui.service.url);
      assert.equal((await ann.put(`/ui/api/administrators/${id}`, { role: 'viewer' })).status, 200);
      await visit.page.getByLabel('Name').fill('Barbara');
      await visit.page.getByRole('button', { name: 'Save' }).click();
      await rowOf(visit.page, 'Barbara').getByText('Viewer').waitFor();
    });

    test('to disabled ends the person’s sessions at once', async () => {
      await using viewer = await ui.visit('/profile', { as: 'viewer' });
      await using visit = await ui.visit(ADDRESS);
      const { page } = visit;
      await act(page, 'Vic', 'Edit');
      await page.getByLabel('Can sign in').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await rowOf(page, 'Vic').getByText('Disabled').waitFor();
      await viewer.page.reload();
      await viewer.page.getByRole('heading', { name: /Sign in/ }).waitFor();
      await act(page, 'Vic', 'Edit');
      const name = page.getByLabel('Name');
      await name.fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await name.and(page.locator(':focus')).waitFor();
      await name.fill('Vic');
      await page.getByLabel('Can sign in').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await rowOf(page, 'Vic').getByText('Active').waitFor();
    });
  });

  describe('deleting an administrator', () => {
    test('asks first, then removes the person, and is not possible for oneself', async () => {
      await inviteBeside('niklaus@example.com');
      await using visit = await ui.visit(ADDRESS);
      const { page } = visit;
      await page.getByRole('button', { name: `Actions for ${isolate('Ann')}` }).click();
      assert.ok(await page.getByRole('menuitem', { name: 'Delete' }).isDisabled());
      await page.keyboard.press('Escape');
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor({ state: 'detached' });
      await act(page, 'niklaus@example.com', 'Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText(`${isolate('niklaus@example.com')} was deleted.`).waitFor();
      await rowOf(page, 'niklaus@example.com').waitFor({ state: 'detached' });
    });

    test('is possible for many at once: the one who is signed in stays, and the dialog says so', async () => {
      for (const email of ['bulk.1@example.com', 'bulk.2@example.com']) await inviteBeside(email);
      await using visit = await ui.visit(ADDRESS);
      const { page } = visit;
      for (const name of ['bulk.1@example.com', 'bulk.2@example.com', 'Ann'])
        await page.getByRole('checkbox', { name: `Select ${isolate(name)}` }).check();
      await page.getByText('3 selected').waitFor();
      await visit.assertAccessible();
      await page.getByRole('button', { name: 'Delete…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete 3 administrators?' });
      await dialog.getByText('They are signed out immediately').waitFor();
      await dialog.getByRole('button', { name: 'Delete 3 administrators' }).click();
      await dialog.getByText('2 administrators deleted.').waitFor();
      await dialog.getByText(/Ann: You cannot delete yourself/).waitFor();
      await visit.assertAccessible();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await rowOf(page, 'bulk.1@example.com').waitFor({ state: 'detached' });
      await rowOf(page, 'ann@example.com').waitFor();
    });
  });

  describe('the page of administrators', () => {
    test('is exported as CSV', async () => {
      await using visit = await ui.visit(ADDRESS);
      const { page } = visit;
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      const file = await saved;
      assert.equal(file.suggestedFilename(), 'administrators.csv');
      const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
      assert.match(lines[0]!, /\bemail\b.*\brole\b/);
      for (const email of ['ann@example.com', 'vic@example.com'])
        assert.equal(lines.filter((line) => line.includes(email)).length, 1, email);
    });

    test('shows cards on a phone', async () => {
      await using visit = await ui.visit(ADDRESS, { phone: true });
      await visit.page.getByRole('listitem').filter({ hasText: 'ann@example.com' }).waitFor();
      await visit.assertAccessible();
      await visit.assertNoSidewaysScrolling();
    });
  });
});
