import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { aroundTests } from '../support/around-tests.ts';
import { failUntilClick } from './support/fail-until-click.ts';
import { HOSTILE } from './support/hostile-name.ts';
import { Learning } from './support/learning.ts';
import { loseFirstResponse } from './support/lost-responses.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('accounts in the admin UI', () => {
  let ui: Ui;
  let learning: Learning;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    learning = await Learning.create(ui);
  });

  it('a first account is created from the empty list with the keyboard alone, once though the response was lost', async () => {
    await using visit = await ui.visit('/accounts');
    const { page } = visit;
    await page.getByRole('button', { name: 'Create the first account' }).focus();
    await visit.assertAccessible();
    await page.keyboard.press('Enter');
    const name = page.getByRole('dialog').getByLabel('Name');
    await name.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name').waitFor();
    await page.keyboard.type(HOSTILE);
    await loseFirstResponse(page, '**/accounts');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('The service is not responding').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    assert.equal((await ui.service.api.get('/ui/api/accounts')).body.total, 1);
    await visit.arrived(/^\/accounts\/\d+$/);
    await page.getByText('No content yet').waitFor();
    await visit.assertAccessible();
  });

  it('several assets, including a folder, are added at once, searched, and removed together', async () => {
    const { id } = await ui.service.api.create('/accounts', { name: 'Northwind' });
    await using visit = await ui.visit(`/accounts/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Add content' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Select something first.').waitFor();
    await dialog.getByLabel('Search content').fill('extinguishers');
    await dialog.getByRole('checkbox', { name: /Ladders/ }).waitFor({ state: 'detached' });
    await dialog.getByRole('checkbox', { name: /Fire extinguishers/ }).check();
    await dialog.getByLabel('Search content').fill('');
    await dialog.getByRole('checkbox', { name: /Ladders/ }).check();
    await dialog.getByRole('checkbox', { name: /^Safety/ }).check();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Add 3 items' }).click();
    await page.getByText('3 items were added.').waitFor();
    const table = page.getByRole('table', { name: 'Content of this account' });
    await table.getByRole('link', { name: 'Safety' }).waitFor();
    await visit.assertAccessible();
    await visit.go(`/accounts/${id}?type=BUNDLE`);
    await page.getByText('Nothing matches your search and filters.').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByRole('searchbox').fill('ladders');
    await table.getByRole('link', { name: 'Safety' }).waitFor({ state: 'detached' });
    await visit.arrived(`/accounts/${id}?search=ladders`);
    await page.getByRole('checkbox', { name: `Select ${isolate('Ladders')}` }).check();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('checkbox', { name: `Select ${isolate('Safety')}` }).check();
    await page.getByRole('button', { name: 'Remove 2…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('2 items were removed.').waitFor();
    const { body } = await ui.service.api.get(`/accounts/${id}/content`);
    assert.deepEqual(
      body.data.map(({ name }: { name: string }) => name),
      ['Fire extinguishers'],
    );
  });

  it('content is paged; what the account already has is marked and cannot be chosen', async () => {
    const { api } = ui.service;
    const { id } = await api.create('/accounts', { name: 'Relecloud' });
    await api.post(`/accounts/${id}/content`, { contents: [{ type: 'COURSE', id: learning.courses[0] }] });
    for (let zone = 1; zone <= 52; zone++) await api.create('/folders', { name: `Zone ${zone}` });
    await using visit = await ui.visit(`/accounts/${id}?add=yes`);
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    const held = dialog.getByRole('checkbox', { name: /^Fire extinguishers/ });
    await held.waitFor();
    assert.deepEqual([await held.isDisabled(), await held.isChecked()], [true, true]);
    await dialog.getByRole('checkbox', { name: /Already added/ }).waitFor();
    await dialog.getByLabel('Search content').fill('zone');
    await dialog.getByText('1–50 of 52').waitFor();
    await dialog.getByRole('button', { name: 'Select all shown' }).click();
    await dialog.getByRole('button', { name: 'Page 2', exact: true }).click();
    await dialog.getByText('51–52 of 52').waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('checkbox', { name: /^Zone 9 / }).check();
    await dialog.getByRole('button', { name: 'Add 51 items' }).click();
    await page.getByText('51 items were added.').waitFor();
    await page.getByRole('button', { name: 'Add content' }).click();
    await dialog.getByLabel('Search content').fill('zone');
    await dialog.getByText('1–50 of 52').waitFor();
    await dialog.getByRole('button', { name: 'Select all shown' }).waitFor({ state: 'detached' });
    const refreshed = Promise.withResolvers<void>();
    await page.route(/offset=50/, async (route) => {
      await refreshed.promise;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Next page' }).click();
    await dialog.getByText('51–52 of 52').waitFor();
    await dialog.getByRole('button', { name: 'Select all shown' }).click();
    await dialog.getByRole('button', { name: 'Add 2 items' }).waitFor();
    refreshed.resolve();
    await dialog.getByRole('button', { name: 'Add 1 item' }).waitFor();
  });

  it('content is shown on the last page that is left if others remove what was on the chosen one', async () => {
    const { api } = ui.service;
    const { id } = await api.create('/accounts', { name: 'Fourth Coffee' });
    const folders = [];
    for (let yard = 1; yard <= 51; yard++)
      folders.push((await api.create('/folders', { name: `Yard ${yard}` })).id);
    await using visit = await ui.visit(`/accounts/${id}?add=yes`);
    const dialog = visit.page.getByRole('dialog');
    await dialog.getByLabel('Search content').fill('yard');
    await dialog.getByText('1–50 of 51').waitFor();
    await api.delete(`/folders/${folders[0]}`);
    const response = visit.page.waitForResponse((each) => each.url().includes('offset=50'));
    await dialog.getByRole('button', { name: 'Next page' }).click();
    assert.equal((await (await response).json()).data.length, 0);
    // Until then, the list is busy.
    await dialog.locator('ul[aria-busy=false] > li').nth(49).waitFor();
  });

  it('Back never opens a dialog that was closed: not after Cancel, and not after something was created', async () => {
    await using visit = await ui.visit('/content');
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    await visit.go('/accounts?search=o');
    await page.getByRole('button', { name: 'Create account' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await visit.arrived('/accounts?search=o');
    await page.getByRole('button', { name: 'Create account' }).click();
    await visit.arrived('/accounts?search=o&new=yes');
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create account' }).click();
    await dialog.getByLabel('Name').fill('Proseware');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Proseware' }).waitFor();
    await page.getByRole('button', { name: 'Add content' }).click();
    await dialog.getByRole('checkbox').first().check();
    await page.goBack();
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay' })
      .click();
    await dialog.getByText('1 selected').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goBack();
    await visit.arrived('/accounts?search=o');
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await page.goBack();
    await visit.arrived('/content');
    await visit.go('/registrations');
    await page.getByRole('button', { name: 'Register many' }).click();
    await dialog.getByLabel('Learner ids').fill('ada');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await visit.arrived('/registrations');
    await page.goBack();
    await visit.arrived('/content');
    assert.equal(await dialog.count(), 0);
  });

  it('a dialog that Back closes while it asks about its input does not ask when it is opened again', async () => {
    const { id } = await ui.service.api.create('/accounts', { name: 'Reopened' });
    await using visit = await ui.visit('/accounts');
    const { page } = visit;
    const dialogs = page.getByRole('dialog');
    const closeByBackWhileAsking = async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Discard' }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Leave', exact: true }).click();
      await dialogs.first().waitFor({ state: 'detached' });
    };
    await visit.go(`/accounts/${id}`);
    await page.getByRole('button', { name: 'Add content' }).click();
    await dialogs.getByRole('checkbox').first().check();
    await closeByBackWhileAsking();
    await page.getByRole('button', { name: 'Add content' }).click();
    await dialogs.getByRole('checkbox').first().check();
    assert.equal(await dialogs.count(), 1);
    await dialogs.getByRole('button', { name: 'Cancel' }).click();
    await visit.go('/registrations');
    await page.getByRole('button', { name: 'Register many' }).click();
    await dialogs.getByLabel('Learner ids').fill('ada');
    await closeByBackWhileAsking();
    await page.getByRole('button', { name: 'Register many' }).click();
    await dialogs.getByLabel('Learner ids').fill('ada');
    assert.equal(await dialogs.count(), 1);
  });

  it('an account is renamed despite someone else’s change, deactivated, and deleted by typing its name', async () => {
    const id = await learning.accountWithCourses('Contoso');
    await learning.register(id, learning.courses[0]!, 'ada');
    await using visit = await ui.visit(`/accounts/${id}`);
    const { page } = visit;
    const choose = async (item: string) => {
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const dialog = page.getByRole('dialog');
    await choose('Rename…');
    // Pages show two spaces as one.
    await dialog.getByLabel('Name').fill('Contoso  Health');
    await ui.service.api.put(`/accounts/${id}`, { name: 'Contoso AG', enabled: true });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(`It is now called “${isolate('Contoso AG')}”.`, { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Contoso Health' }).waitFor();
    await choose('Deactivate…');
    await dialog.getByText('Triggers the event “Activation updated”.', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('This account is inactive', { exact: false }).waitFor();
    await page.getByRole('tab', { name: 'Registrations' }).click();
    await page.getByRole('link', { name: 'ada' }).waitFor();
    await visit.arrived(`/accounts/${id}?tab=registrations`);
    assert.ok(await page.getByRole('button', { name: 'Register learner' }).isDisabled());
    await choose('Delete…');
    await dialog.getByText('1 registration and its results').waitFor();
    await dialog.getByText('access to 3 items of content', { exact: false }).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('textbox').fill('Contoso Health');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await visit.arrived('/accounts');
    await page.getByText(`${isolate('Contoso Health')} was deleted.`).waitFor();
    assert.equal((await ui.service.api.get(`/accounts/${id}`)).status, 404);
  });

  it('a typed name is kept when the window becomes wide, which replaces cards by a table', async () => {
    await ui.service.api.create('/accounts', { name: 'Rotated' });
    await using visit = await ui.visit('/accounts?search=Rotated', { phone: true });
    const { page } = visit;
    await page.getByRole('button', { name: /^Actions for .*Rotated/ }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Turned');
    await page.setViewportSize({ width: 1_180, height: 820 });
    await page.getByRole('table', { name: 'Accounts', includeHidden: true }).waitFor();
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Turned');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await ui.service.api.get('/ui/api/accounts?search=Turned');
    assert.equal(body.total, 1);
  });

  it('everything fits on a phone', async () => {
    const id = await learning.accountWithCourses('W'.repeat(200));
    const registration = await learning.register(id, learning.courses[2]!, 'l'.repeat(255));
    await using visit = await ui.visit('/accounts', { phone: true });
    const { page } = visit;
    const long = page.getByText(/W{20}|l{20}/).first();
    await long.waitFor();
    await visit.assertNoSidewaysScrolling();
    for (const address of [
      `/accounts/${id}`,
      `/accounts/${id}?tab=registrations`,
      `/registrations?account_id=${id}`,
      `/registrations?learner=${'l'.repeat(255)}`,
      `/registrations/${registration}`,
    ]) {
      await visit.go(address);
      await long.waitFor();
      await visit.assertNoSidewaysScrolling();
    }
  });

  it('a viewer sees accounts and registrations but is offered no changes', async () => {
    const id = await learning.accountWithCourses('Fabrikam');
    const registration = await learning.register(id, learning.courses[1]!, 'grace');
    await using visit = await ui.visit(`/accounts/${id}`, { as: 'viewer' });
    const { page } = visit;
    await page.getByRole('link', { name: 'Ladders' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /Add content|Actions for/ }).count(), 0);
    assert.equal(await page.getByRole('checkbox').count(), 0);
    await visit.go(`/registrations/${registration}`);
    await page.getByRole('heading', { level: 1, name: 'grace' }).waitFor();
    assert.equal(
      await page.getByRole('button', { name: /Save status|Create launch link|Delete/ }).count(),
      0,
    );
    await visit.assertAccessible();
    await visit.go('/accounts');
    await page.getByRole('table', { name: 'Accounts' }).getByRole('link', { name: 'Fabrikam' }).waitFor();
    assert.equal(await page.getByRole('checkbox').count(), 0, 'nothing can be selected');
  });

  it('a failure of the service is shown, and the request can be retried', async () => {
    await using visit = await ui.visit('/accounts?search=nothing-like-this');
    const { page } = visit;
    await page.getByText('No results').waitFor();
    await page.route('**/ui/api/registrations*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await visit.go('/registrations');
    await page.getByText('Something went wrong').waitFor();
    await page.getByRole('searchbox').waitFor();
    await visit.assertAccessible();
    await page.evaluate(failUntilClick('/ui/api/registrations'));
    await page.unroute('**/ui/api/registrations*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').waitFor();
    for (const [address, heading] of [
      ['/accounts/4711', 'Account not found'],
      ['/registrations/no-id', 'Registration not found'],
    ]) {
      await visit.go(address!);
      await page.getByRole('heading', { level: 1, name: heading! }).waitFor();
    }
  });
});
