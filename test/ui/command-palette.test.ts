import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { Learning } from './support/learning.ts';
import { startUi, type Ui } from './support/ui.ts';

const field = (page: Page) => page.getByRole('combobox', { name: 'Search for anything by name' });
const selected = (page: Page) => page.getByRole('option', { selected: true });

describe('the command palette', () => {
  let ui: Ui;
  let registrationId: string;
  aroundTests(async (parts) => {
    // Otherwise, all attempts could be made before a test reads the waiting message.
    ui = parts.use(await startUi({ settings: { retry_initial_delay: 600, retry_max_delay: 600 } }));
    const { api } = ui.service;
    const learning = await Learning.create(ui);
    const account = await learning.accountWithCourses('Northwind');
    registrationId = await learning.register(account, learning.courses[0]!, 'northup.solomon');
    for (let at = 1; at <= 6; at++) await learning.register(account, learning.courses[0]!, `pal-${at}`);
    await api.create('/webhooks', {
      name: 'North star CRM',
      topic: 'ACCOUNT',
      all_subtopics: true,
      target_url: 'http://127.0.0.1:9/north',
      authentication: { type: 'NONE' },
    });
  });

  it('opens a page by the first letters of its name, without a click', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    await page.keyboard.press('Control+k');
    await field(page).pressSequentially('dead');
    await selected(page).getByText('Dead letters').waitFor();
    await page.keyboard.press('Enter');
    await visit.arrived('/administration/integrations/dead-letters');
    await page.locator('h1:focus').getByText('Dead letters').waitFor();
  });

  it('finds webhooks, accounts and learners by name, moves among them with the arrow keys, and opens a registration by its id', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByRole('button', { name: 'Search' }).click();
    await visit.assertAccessible();
    // Screen readers only announce changes of an element that is there already.
    const said = await page.getByRole('dialog').getByRole('status').elementHandle();
    await field(page).fill('north');
    await page.getByRole('group', { name: 'Registrations' }).getByText('northup.solomon').waitFor();
    await page.getByRole('group', { name: 'Webhooks' }).getByText('North star CRM').waitFor();
    await visit.assertAccessible();
    await selected(page).getByText('North star CRM').waitFor();
    const options = page.getByRole('option');
    assert.equal(await said?.textContent(), `${await options.count()} results`);
    await page.keyboard.press('ArrowUp');
    await options.last().and(selected(page)).waitFor();
    await page.keyboard.press('ArrowDown');
    await selected(page).getByText('North star CRM').waitFor();
    await page.keyboard.press('ArrowDown');
    await selected(page).getByText('Northwind').waitFor();
    assert.equal(
      await field(page).getAttribute('aria-activedescendant'),
      await selected(page).getAttribute('id'),
      'screen readers hear the selected result',
    );
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Northwind' }).waitFor();
    await page.keyboard.press('Control+k');
    await field(page).fill(registrationId.toUpperCase());
    await page.getByRole('option', { name: /northup\.solomon/ }).click();
    await visit.arrived(`/registrations/${registrationId}`);
    await page.keyboard.press('Control+k');
    await field(page).fill('pal-');
    await page.getByRole('option', { name: /^All registrations of learners/ }).click();
    await visit.arrived('/registrations?search=pal-');
  });

  it('finds the event of a message by its id, for those who may read events', async () => {
    const { api } = ui.service;
    await api.create('/accounts', { name: 'Contoso' });
    const { data: webhooks } = (await api.get('/webhooks')).body;
    const line = (await api.get(`/webhooks/${webhooks[0].id}/line`)).body;
    const messageId: string = line.head.message_id;
    const { data: found } = (await api.get(`/events?message_id=${messageId}`)).body;
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByRole('button', { name: 'Search' }).click();
    await field(page).fill(messageId.toUpperCase());
    await page
      .getByRole('group', { name: 'Messages' })
      .getByRole('option', { name: /Account created/ })
      .click();
    await visit.arrived(`/administration/integrations/events/${found[0].id}`);
    await page.getByRole('list', { name: 'Messages' }).getByText('North star CRM').waitFor();
  });

  it('shows that nothing was found, and what could not be read', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByRole('button', { name: 'Search' }).click();
    await field(page).fill('north star');
    await page.getByRole('option', { name: /North star CRM/ }).waitFor();
    await field(page).fill('zzzz');
    // The results of the former text must not be opened.
    await page.keyboard.press('Enter');
    await page.getByText('No results for “zzzz”').waitFor();
    await page.route('**/ui/api/search/assets?*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await field(page).fill('north');
    await page.getByRole('alert').getByText('Some results could not be read.').waitFor();
    await page.getByRole('option', { name: /North star CRM/ }).waitFor();
    await visit.assertAccessible();
  });

  it('offers viewers only pages that they may open, and fills the screen of a phone', async () => {
    await using visit = await ui.visit('/profile', { as: 'viewer', phone: true });
    const { page } = visit;
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('option', { name: 'Registrations' }).waitFor();
    await page.getByRole('option', { name: 'Webhooks' }).waitFor();
    assert.equal(await page.getByRole('option', { name: 'API clients' }).count(), 0);
    assert.equal(await page.getByRole('option', { name: 'Create webhook' }).count(), 0);
    assert.equal(await page.getByRole('option', { name: 'Create account' }).count(), 0);
    await field(page).fill('north');
    await page.getByRole('option', { name: /Northwind/ }).waitFor();
    await page.getByRole('option', { name: /North star CRM/ }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0, 'nothing is read that viewers may not see');
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
    await page.getByRole('option', { name: /northup\.solomon/ }).click();
    await visit.arrived(`/registrations/${registrationId}`);
  });

  it('ignores keys that are typed into a field or an open dialog', async () => {
    await using visit = await ui.visit('/accounts?new=yes');
    const { page } = visit;
    const name = page.getByRole('dialog').getByLabel('Name');
    await name.fill('What');
    await name.press('?');
    await name.press('Control+k');
    assert.equal(await name.inputValue(), 'What?');
    assert.equal(await page.getByRole('dialog').count(), 1);
  });

  it('lists the keyboard shortcuts after a question mark', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('Show this list').waitFor();
    const neighbours = list.getByRole('row', { name: /^Next or previous delivery/ });
    assert.match(await neighbours.innerText(), /J or K$/);
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
