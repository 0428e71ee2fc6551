import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('content of many accounts at once', () => {
  let ui: Ui;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    make = new ContentMaker(ui.service);
  });

  const select = (name: string) => ({ name: `Select ${isolate(name)}` });

  it('courses are added to many accounts from the list of courses, and content from the list of accounts', async () => {
    const { api } = ui.service;
    const ids = await make.accounts('Many A', 'Many B', 'Many C');
    const [one, two] = [await make.course('Spread one'), await make.course('Spread two')];
    const contentOf = async (account: number) =>
      (await api.get(`/accounts/${account}/content`)).body.data.map(({ id }: { id: number }) => id);
    await using visit = await ui.visit('/content?search=Spread');
    const { page } = visit;
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Add to accounts…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add 2 items to accounts' });
    await dialog.getByLabel('Search accounts').fill('Many');
    await dialog.getByText('1–3 of 3').waitFor();
    await dialog.getByRole('button', { name: 'Select all shown' }).click();
    await dialog.getByText('3 selected').waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Add to 3 accounts' }).click();
    await page.getByText('3 accounts: 6 items were added.').waitFor();
    for (const id of ids) assert.deepEqual(await contentOf(id), [one.id, two.id]);

    const three = await make.course('Spread three');
    await visit.go('/accounts?search=Many');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Add content…' }).click();
    const contents = page.getByRole('dialog', { name: 'Add content to 3 accounts' });
    await contents.getByLabel('Search content').fill('Spread three');
    await contents.getByRole('checkbox', { name: /Spread one/ }).waitFor({ state: 'detached' });
    await contents.getByRole('checkbox', { name: /Spread three/ }).check();
    await contents.getByRole('button', { name: 'Add 1 item' }).click();
    await page.getByText('3 accounts: 3 items were added.').waitFor();
    for (const id of ids) assert.deepEqual(await contentOf(id), [one.id, two.id, three.id]);
  });

  it('the choice of accounts is not lost by accident: by a click outside of the dialog, Escape or Back', async () => {
    await make.accounts('Chosen A', 'Chosen B');
    const { id } = await make.course('Chosen for many');
    await using visit = await ui.visit('/content');
    const { page } = visit;
    await visit.go(`/content/courses/${id}`);
    await page.getByRole('button', { name: 'Add to accounts…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Add .* to accounts$/ });
    const search = dialog.getByLabel('Search accounts');
    await search.fill('Chosen');
    await dialog.getByText('1–2 of 2').waitFor();
    await dialog.getByRole('button', { name: 'Select all shown' }).click();
    await page.mouse.click(5, 5);
    await search.press('Escape');
    assert.equal(await search.inputValue(), '');
    await dialog.getByText('2 selected').waitFor();
    const question = page.getByRole('dialog', { name: 'Close without saving?' });
    await search.press('Escape');
    await question.waitFor();
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await dialog.getByText('2 selected').waitFor();
    await page.goBack();
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await leaving.getByRole('button', { name: 'Stay' }).click();
    await leaving.waitFor({ state: 'detached' });
    await dialog.getByText('2 selected').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add to accounts…' }).click();
    await dialog.getByText('Select accounts.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('Cancel ends adding after the current step, says how many accounts are done, and keeps the selection', async () => {
    const { api } = ui.service;
    // One account more than a step has with so many folders.
    await make.accounts(...Array.from({ length: 20 }, (_, at) => `Halted ${at}`));
    for (let at = 0; at < 26; at++) await api.create('/folders', { name: `Shelf ${at}` });
    await using visit = await ui.visit('/accounts?search=Halted');
    const { page } = visit;
    const held = await holdRequests(page, '**/account-content/add');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Add content…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Search content').fill('Shelf');
    await dialog.getByText('1–26 of 26').waitFor();
    await dialog.getByRole('button', { name: 'Select all shown' }).click();
    await dialog.getByRole('button', { name: 'Add 26 items' }).click();
    await held.begun;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add content…' }).click();
    held.release();
    await page.getByText('Stopped: 19 of 20 accounts done.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('20 selected').waitFor();
  });

  it('a course’s page shows which accounts have it and through what, and changes many at once', async () => {
    const { api } = ui.service;
    const [direct = 0, bundled = 0, later = 0] = await make.accounts('Direct', 'Bundled', 'Later');
    const course = await make.course('Watched');
    const bundle = await api.create('/bundles', {
      name: 'The bundle',
      contents: [{ type: 'COURSE', id: course.id }],
    });
    const { id: folder } = await api.create('/folders', { name: 'The folder' });
    const other = await api.create('/bundles', {
      name: 'In the folder',
      folder_id: folder,
      contents: [{ type: 'COURSE', id: course.id }],
    });
    await api.post('/account-content/add', {
      account_ids: [direct],
      contents: [{ type: 'COURSE', id: course.id }],
    });
    const contents = [
      { type: 'BUNDLE', id: bundle.id },
      { type: 'FOLDER', id: folder },
    ];
    await api.post('/account-content/add', { account_ids: [bundled], contents });
    await using visit = await ui.visit(`/content/courses/${course.id}`);
    const { page } = visit;
    const panel = page.getByRole('region', { name: 'Accounts with access' });
    await panel.getByRole('row', { name: /Direct.*Directly/ }).waitFor();
    await panel
      .getByRole('row', { name: /Bundled.*Bundle The bundle.*Folder The folder › In the folder/ })
      .waitFor();
    assert.equal(
      await panel.getByRole('link', { name: other.name }).getAttribute('href'),
      `/ui/content/bundles/${other.id}`,
    );
    await visit.assertAccessible();

    await panel.getByRole('button', { name: 'Add to accounts…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: /^Direct Already added/ }).waitFor();
    await dialog.getByRole('checkbox', { name: /^Later/ }).check();
    await dialog.getByRole('button', { name: 'Add to 1 account' }).click();
    await panel.getByRole('row', { name: /Later.*Directly/ }).waitFor();

    await panel.getByRole('checkbox', select('Bundled')).check();
    assert.equal(await panel.getByRole('button', { name: 'Remove from accounts…' }).isDisabled(), true);
    await panel.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await panel.getByRole('button', { name: 'Remove from accounts…' }).click();
    await dialog.getByText('1 selected account does not have it directly and keeps it.').waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed from 2 accounts.').waitFor();
    const { data } = (await api.get(`/content/COURSE/${course.id}/accounts`)).body;
    assert.deepEqual(
      data.map(({ account_id }: { account_id: number }) => account_id),
      [bundled],
    );
    assert.ok(later > 0);
  });

  it('a folder’s page shows which accounts have it, even through a parent folder, and adds it to others', async () => {
    const { api } = ui.service;
    const [above = 0, later = 0] = await make.accounts('Has all', 'Has nothing');
    const { id: outer } = await api.create('/folders', { name: 'Outer folder' });
    const { id: inner } = await api.create('/folders', { name: 'Inner folder', parent_id: outer });
    await api.post('/account-content/add', {
      account_ids: [above],
      contents: [{ type: 'FOLDER', id: outer }],
    });
    await using visit = await ui.visit(`/content?folder=${inner}`);
    const { page } = visit;
    const panel = page.getByRole('region', { name: 'Accounts with access' });
    await panel.getByRole('row', { name: /Has all.*Folder Outer folder/ }).waitFor();
    await visit.assertAccessible();
    await panel.getByRole('button', { name: 'Add to accounts…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: /^Has nothing/ }).check();
    await dialog.getByRole('button', { name: 'Add to 1 account' }).click();
    await panel.getByRole('row', { name: /Has nothing.*Directly/ }).waitFor();
    assert.equal((await api.get(`/accounts/${later}/content`)).body.data[0].id, inner);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const csv = await readFile(await download.path(), 'utf8');
    for (const name of ['Has all', 'Has nothing']) assert.match(csv, new RegExp(`,${name},`));
    await page
      .getByRole('region', { name: 'Changes' })
      .getByRole('listitem')
      .filter({ hasText: 'created folder Inner folder' })
      .waitFor();
    await visit.go('/content');
    await page.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
    assert.equal(await panel.count(), 0, 'Home, which contains everything, has none');
  });
});
