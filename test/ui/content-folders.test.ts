import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { failUntilClick } from './support/fail-until-click.ts';
import { folderItem } from './support/folders.ts';
import { holdRequests } from './support/held-requests.ts';
import { HOSTILE } from './support/hostile-name.ts';
import { loseFirstResponse } from './support/lost-responses.ts';
import { startUi, type Ui } from './support/ui.ts';
import { hasValue } from './support/values.ts';

const LONG = 'Ausbildung '.repeat(18).trim();
/** How often a page reads the tree of folders again. */
const TREE_MS = 60_000;

describe('folders in the admin UI', () => {
  let ui: Ui;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    make = new ContentMaker(ui.service);
  });

  const act = async (page: Page, action: string) => {
    await page.getByRole('button', { name: /^Actions for folder/ }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const folder = async (id: number) => (await ui.service.api.get(`/folders/${id}`)).body;

  it('show what to do in an empty service, and are accessible', async () => {
    await using visit = await ui.visit('/content');
    await visit.page.getByRole('heading', { name: 'No courses yet' }).waitFor();
    assert.equal(await visit.page.getByRole('button', { name: 'Upload courses' }).count(), 2);
    await visit.assertAccessible();
    await visit.page.getByRole('tab', { name: 'Bundles' }).click();
    await visit.page.getByRole('link', { name: 'Create bundle' }).first().waitFor();
    await visit.arrived('/content?kind=bundles');
  });

  it('are created (even if the response was lost), renamed, moved and deleted with the keyboard alone', async () => {
    const targetId = await make.folder('Target');
    const pressed = Promise.withResolvers<void>();
    await using visit = await ui.visit('/content');
    const { page } = visit;
    await folderItem(page, 'Target').waitFor();
    await page.getByRole('button', { name: /^Actions for folder/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Create folder…' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: 'Create folder…' }).press('Enter');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name.').waitFor();
    assert.equal(await name.and(page.locator(':focus')).count(), 1, 'the wrong field has the focus');
    await page.keyboard.type('Created');
    await loseFirstResponse(page, '**/folders');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('The service is not responding').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Created', level: 1 }).waitFor();
    const id = Number(new URL(page.url()).searchParams.get('folder'));
    assert.equal((await folder(id)).name, 'Created');
    assert.equal(await folderItem(page, 'Created').count(), 1);

    // Enter is pressed before the dialog has read the folder.
    await page.route(`**/folders/${id}`, async (route) => {
      if (route.request().method() === 'GET') await pressed.promise;
      await route.continue();
    });
    await act(page, 'Rename…');
    await page.getByRole('textbox', { name: 'Name' }).fill('Renamed');
    await page.keyboard.press('Enter');
    pressed.resolve();
    await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor();

    await act(page, 'Move…');
    const tree = page.getByRole('dialog').getByRole('tree');
    // Otherwise, the dialog could take the focus from the tree.
    await page.locator('[role=dialog]:focus, [role=dialog] :focus').waitFor();
    await tree.focus();
    await page.keyboard.press('t');
    await page.keyboard.press('Enter');
    await page.getByText('Home > Target').waitFor();
    await page.getByRole('button', { name: 'Move here', disabled: false }).press('Enter');
    await page.getByRole('navigation', { name: 'Folder path' }).getByText('Target').waitFor();
    assert.equal((await folder(id)).parent_id, targetId);

    await act(page, 'Delete…');
    // The dialog takes the focus when it is open, and its button is disabled until the dialog knows what uses the folder.
    await page.locator('[role=dialog]:focus, [role=dialog] :focus').waitFor();
    await page.getByRole('button', { name: 'Delete folder', disabled: false }).press('Enter');
    await visit.arrived(`/content?folder=${targetId}`);
    assert.equal((await ui.service.api.get(`/folders/${id}`)).status, 404);
    await ui.service.api.delete(`/folders/${targetId}`);
  });

  it('are browsed as a tree, and the address contains the open folder', async () => {
    const top = await make.folder('Walk');
    const first = await make.folder('Alpha', top);
    const deep = await make.folder('Deep', first);
    await make.folder('Beta', top);
    await using visit = await ui.visit(`/content?folder=${deep}`);
    const { page } = visit;
    await page.getByRole('heading', { name: 'Deep', level: 1 }).waitFor();
    const chosen = page.locator('[role=treeitem][aria-selected=true]');
    await chosen.waitFor();
    assert.match((await chosen.textContent()) ?? '', /^Deep ?,/);
    const tree = page.getByRole('tree', { name: 'Folders' });
    const active = async () => {
      const id = (await tree.getAttribute('aria-activedescendant')) ?? '';
      return page.locator(`[id="${id}"]`).textContent();
    };
    await tree.focus();
    for (const [key, name] of [
      ['ArrowLeft', 'Alpha'],
      ['ArrowDown', 'Deep'],
      ['ArrowUp', 'Alpha'],
      ['ArrowDown', 'Deep'],
      ['ArrowDown', 'Beta'],
      ['Home', 'Home'],
      ['w', 'Walk'],
    ] as const) {
      await page.keyboard.press(key);
      assert.match((await active()) ?? '', new RegExp(`^${name} ?,`), key);
    }
    await page.keyboard.press('Enter');
    await visit.arrived(`/content?folder=${top}`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Deep', level: 1 }).waitFor();
    await page.getByRole('textbox', { name: 'Find a folder' }).fill('bet');
    await folderItem(page, 'Alpha').waitFor({ state: 'detached' });
    await folderItem(page, 'Beta').click();
    await page.getByRole('heading', { name: 'Beta', level: 1 }).waitFor();
    await visit.assertAccessible();
  });

  it('stay collapsed in the tree when others are changed', async () => {
    const outer = await make.folder('Outer');
    const inner = await make.folder('Inner', outer);
    await using visit = await ui.visit(`/content?folder=${inner}`);
    const { page } = visit;
    await folderItem(page, 'Inner').waitFor();
    await page.getByRole('tree', { name: 'Folders' }).focus();
    for (const key of ['ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
    await folderItem(page, 'Inner').waitFor({ state: 'detached' });
    await act(page, 'Rename…');
    await page.getByRole('textbox', { name: 'Name' }).fill('Inside');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Inside', level: 1 }).waitFor();
    await visit.settled();
    assert.equal(await folderItem(page, 'Inside').count(), 0);
    await visit.go(`/content?folder=${outer}`);
    await visit.go(`/content?folder=${inner}`);
    await folderItem(page, 'Inside').waitFor();
  });

  it('are not deleted while they are not empty, and the reasons link to the contents', async () => {
    const full = await make.folder('Full');
    await make.folder('Within', full);
    await make.course('Kept', full);
    await using visit = await ui.visit(`/content?folder=${full}&kind=bundles`);
    const { page } = visit;
    await act(page, 'Delete…');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/cannot be deleted yet/).waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Delete folder' }).count(), 0);
    await visit.assertAccessible();
    await dialog.getByRole('link', { name: '1 course' }).waitFor();
    await dialog.getByRole('link', { name: 'Within' }).click();
    await page.getByRole('heading', { name: 'Within', level: 1 }).waitFor();
    const account = await make.account('Northwind');
    const given = await make.folder('Given');
    await make.add(account, { type: 'FOLDER', id: given });
    await visit.go(`/content?folder=${given}`);
    await page.getByRole('heading', { name: 'Given', level: 1 }).waitFor();
    await act(page, 'Delete…');
    await page.getByRole('dialog').getByRole('link', { name: 'Northwind' }).waitFor();
  });

  it('show that someone else renamed them in the meantime, and let one replace that name', async () => {
    const id = await make.folder('Ours');
    await using visit = await ui.visit(`/content?folder=${id}`);
    const { page } = visit;
    await act(page, 'Rename…');
    await page.getByRole('button', { name: 'Rename' }).and(page.locator(':enabled')).waitFor();
    await ui.service.api.put(`/folders/${id}`, { name: 'Theirs' });
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText(/It is now called .*Theirs/).waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor();
    assert.equal((await folder(id)).name, 'Mine');
  });

  it('start with the current name, though the page still shows a former one, and do not replace it unseen', async () => {
    const id = await make.folder('Safety');
    await using visit = await ui.visit(`/content?folder=${id}`);
    const { page } = visit;
    const field = page.getByRole('textbox', { name: 'Name' });
    await page.getByRole('heading', { name: 'Safety', level: 1 }).waitFor();
    await ui.service.api.put(`/folders/${id}`, { name: 'Safety 2027' });
    await act(page, 'Rename…');
    await page.getByText(/It is now called .*Safety 2027/).waitFor();
    await hasValue(field, 'Safety 2027');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    // Enter comes before the name has been read.
    const held = await holdRequests(page, `**/folders/${id}`, { method: 'GET' });
    await act(page, 'Rename…');
    await field.fill('Safety (EU)');
    await field.press('Enter');
    held.release();
    await page.getByText(/It is now called .*Safety 2027/).waitFor();
    assert.equal(await field.inputValue(), 'Safety (EU)');
    assert.equal((await folder(id)).name, 'Safety 2027');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Safety (EU)', level: 1 }).waitFor();
  });

  it('are not renamed to what was typed for another one, since Back closes the dialog', async () => {
    const [first, second] = [await make.folder('First opened'), await make.folder('Second opened')];
    await using visit = await ui.visit(`/content?folder=${first}`);
    const { page } = visit;
    await page.getByRole('heading', { name: 'First opened', level: 1 }).waitFor();
    await folderItem(page, 'Second opened').click();
    await page.getByRole('heading', { name: 'Second opened', level: 1 }).waitFor();
    await act(page, 'Rename…');
    await page.getByRole('textbox', { name: 'Name' }).fill('For the second');
    await page.goBack();
    await page.getByRole('heading', { name: 'First opened', level: 1, includeHidden: true }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('h1:focus').getByText('First opened').waitFor();
    assert.equal((await folder(second)).name, 'Second opened');
  });

  it('find, filter and order courses below them, as the address records', async () => {
    const top = await make.folder('Library');
    const below = await make.folder('Shelf', top);
    await make.course('Alpha book', below);
    await make.course('Zeta book', top);
    await using visit = await ui.visit(`/content?folder=${top}`);
    const { page } = visit;
    await page.getByRole('link', { name: 'Zeta book' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Alpha book' }).count(), 0);
    await page.getByRole('switch', { name: 'Include subfolders' }).click({ force: true });
    await visit.arrived(`/content?folder=${top}&below=yes`);
    await page.getByText('Home > Library > Shelf').waitFor();
    await page.getByRole('button', { name: 'Name' }).click();
    await visit.arrived(/sort=name&direction=desc/);
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await page.locator('tbody tr').first().getByText('Zeta book').waitFor();
    await page.getByRole('searchbox', { name: 'Search courses' }).fill('alpha');
    await visit.arrived(/search=alpha/);
    await page.getByRole('link', { name: 'Zeta book' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('link', { name: 'Alpha book' }).waitFor();
    await page.getByRole('tab', { name: 'Equivalents' }).click();
    await page.getByText('No results').waitFor();
    await visit.arrived(`/content?folder=${top}&below=yes&search=alpha&kind=equivalents`);
  });

  it('show any name as text, and nothing is wider than the window on a phone', async () => {
    const id = await make.folder(HOSTILE);
    const long = await make.folder(LONG, id);
    await make.course(HOSTILE, long);
    await make.course(LONG, long);
    await using visit = await ui.visit(`/content?folder=${long}`, { phone: true });
    const { page } = visit;
    await page.getByRole('heading', { name: LONG, level: 1 }).waitFor();
    await page.getByRole('link', { name: HOSTILE }).first().waitFor();
    assert.notEqual(await page.title(), '1');
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Choose folder' }).click();
    await folderItem(page, 'Home').click();
    await visit.arrived('/content');
    await page.getByRole('tree').waitFor({ state: 'detached' });
  });

  it('show that a folder was deleted or the service fails, and then recover', async () => {
    await using visit = await ui.visit('/content?folder=4711');
    const { page } = visit;
    await page.getByText('This folder no longer exists').waitFor();
    await page.route('**/ui/api/folders', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.reload();
    await page.getByText('Something went wrong').waitFor();
    await page.evaluate(failUntilClick('/ui/api/folders'));
    await page.unroute('**/ui/api/folders');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This folder no longer exists').waitFor();
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await page.getByRole('heading', { name: 'Content', level: 1 }).waitFor();
  });

  it('are shown as soon as they exist, before the tree is next refreshed, even if the service fails at first', async () => {
    await using visit = await ui.visit('/content');
    const { page } = visit;
    await folderItem(page, 'Home').waitFor();
    const id = await make.folder('Brand new');
    await page.route(`**/folders/${id}`, (route) => route.fulfill({ status: 500, body: '{}' }));
    await visit.go(`/content?folder=${id}`);
    await page.getByText('Something went wrong').waitFor();
    await page.unroute(`**/folders/${id}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Brand new', level: 1 }).waitFor({ timeout: TREE_MS / 2 });
    await folderItem(page, 'Brand new').waitFor({ timeout: TREE_MS / 2 });
  });

  it('are shown without delay even by the thousands', async () => {
    const tree = Array.from({ length: 20_000 }, (_, at) => ({
      id: at + 1,
      name: at === 0 ? 'Home' : `Folder ${at}`,
      parent_id: at === 0 ? null : at < 10_000 ? 1 : at - 9_999,
      course_count: 1,
      equivalent_count: 0,
      bundle_count: 0,
    }));
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.route('**/ui/api/folders', (route) =>
      route.fulfill({ json: { data: tree, total: tree.length, truncated: true } }),
    );
    await page.getByRole('link', { name: 'Content' }).click();
    await page.getByText('Only 20,000 folders are shown here').waitFor();
    assert.ok((await page.getByRole('treeitem').count()) < 100, 'only what is in view is made');
    await page.getByRole('tree').focus();
    await page.keyboard.press('End');
    await folderItem(page, 'Folder 9999').waitFor();
    await page.getByRole('textbox', { name: 'Find a folder' }).fill('folder 19');
    await folderItem(page, 'Folder 19').waitFor();
  });

  it('have all their actions even if the tree omits them', async () => {
    const parent = await make.folder('Far away');
    const id = await make.folder('Omitted', parent);
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    const home = { id: 1, name: 'Home', parent_id: null };
    const counts = { course_count: 0, equivalent_count: 0, bundle_count: 0 };
    await page.route('**/ui/api/folders', (route) =>
      route.fulfill({ json: { data: [{ ...home, ...counts }], total: 1, truncated: true } }),
    );
    await visit.go(`/content?folder=${id}`);
    await page.getByRole('link', { name: 'Home > Far away' }).waitFor();
    await act(page, 'Rename…');
    await page.getByRole('dialog').getByLabel('Name').fill('Found');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('heading', { name: 'Found', level: 1 }).waitFor();
    await act(page, 'Delete…');
    await page.getByRole('button', { name: 'Delete folder' }).click();
    await page.getByRole('heading', { name: 'Far away', level: 1 }).waitFor();
    assert.equal((await ui.service.api.get(`/folders/${id}`)).status, 404);
    await visit.go('/content');
    await page.getByRole('button', { name: /^Actions for folder/ }).click();
    await page.getByRole('menuitem', { name: 'Create folder…' }).waitFor();
    assert.equal(await page.getByRole('menuitem').count(), 1);
  });

  it('are read-only for viewers', async () => {
    const id = await make.folder('Shown');
    await make.course('Shown course', id);
    await using visit = await ui.visit(`/content?folder=${id}`, { as: 'viewer' });
    const { page } = visit;
    await page.getByRole('link', { name: 'Shown course' }).waitFor();
    for (const name of [/^Actions for folder/, 'Upload courses'])
      assert.equal(await page.getByRole('button', { name }).count(), 0);
    assert.equal(await page.getByRole('checkbox').count(), 0);
    await page.getByRole('link', { name: 'Shown course' }).click();
    await page.getByRole('heading', { name: 'Shown course', level: 1 }).waitFor();
    await page.getByText('Published', { exact: true }).waitFor();
    for (const name of ['Upload new version', /^Preview/])
      assert.equal(await page.getByRole('button', { name }).count(), 0);
    await visit.go('/content/bundles/new');
    await page.getByRole('heading', { name: 'Your role cannot open this page' }).waitFor();
  });
});
