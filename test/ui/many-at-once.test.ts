import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { importCourse } from '../content/packages.ts';
import { openDatabaseOf } from '../support/database.ts';
import { until } from '../support/until.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('actions on many rows at once', () => {
  let ui: Ui;
  before(async () => {
    ui = await startUi();
  });
  after(async () => {
    await ui[Symbol.asyncDispose]();
  });

  const select = (name: string) => ({ name: `Select ${isolate(name)}` });
  const accountsNamed = async (prefix: string): Promise<string[]> => {
    const { data } = (await ui.service.api.get('/accounts?limit=200')).body;
    return data.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith(prefix));
  };
  const createAccounts = async (...names: string[]): Promise<number[]> => {
    const ids = [];
    for (const name of names) ids.push((await ui.service.api.create('/accounts', { name })).id);
    return ids;
  };
  const courseNamed = async (name: string) => {
    const { id } = await importCourse(ui.service, { name });
    return { type: 'COURSE', id, name };
  };

  it('Shift selects a range, the header a page; deleting accounts asks for their number', async () => {
    const [first = 0] = await createAccounts('Range 1', 'Range 2', 'Range 3', 'Range 4');
    const course = await courseNamed('In a range');
    await ui.service.api.post(`/accounts/${first}/content`, {
      contents: [{ type: 'COURSE', id: course.id }],
    });
    await ui.service.api.create('/registrations', {
      account_id: first,
      course_id: course.id,
      learner_id: 'ada',
    });
    await using visit = await ui.visit('/accounts?search=Range');
    const { page } = visit;
    await page.getByRole('checkbox', select('Range 1')).click();
    await page.getByRole('checkbox', select('Range 3')).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    assert.equal(await page.getByRole('checkbox', select('Range 4')).isChecked(), false);
    await page.getByRole('checkbox', select('Range 3')).focus();
    await page.keyboard.press('Space');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByText('4 selected').waitFor();
    await page.getByRole('checkbox', select('Range 4')).uncheck();
    await visit.assertAccessible();

    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 accounts?' });
    await dialog.getByText('access to 1 item of content').waitFor();
    await dialog.getByText('1 registration and its results').waitFor();
    await dialog.getByRole('button', { name: 'Delete 3 accounts' }).click();
    await dialog.getByText('This is not the number of selected rows.').waitFor();
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await visit.assertAccessible();
    await page.keyboard.press('Enter');
    await page.getByText('3 accounts deleted.').waitFor();
    assert.deepEqual(await accountsNamed('Range'), ['Range 4']);
    await dialog.waitFor({ state: 'detached' });
  });

  it('rows that cannot be deleted are shown with the reason, and can be retried', async () => {
    const [account = 0] = await createAccounts('Holding');
    const held = await courseNamed('Held course');
    await courseNamed('Held by nobody');
    await ui.service.api.post(`/accounts/${account}/content`, {
      contents: [{ type: 'COURSE', id: held.id }],
    });
    await using visit = await ui.visit('/content?search=Held');
    const { page } = visit;
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('All their versions and files are also deleted.').waitFor();
    await dialog.getByRole('button', { name: 'Delete 2 courses' }).click();
    await dialog.getByText('1 course deleted.').waitFor();
    await dialog.getByText('1 course could not be deleted:').waitFor();
    await dialog.getByText(/Held course: The course is in use by 1 account/).waitFor();
    await visit.assertAccessible();
    await ui.service.api.delete(`/accounts/${account}/content/COURSE/${held.id}`);
    await dialog.getByRole('button', { name: 'Try these again' }).click();
    await page.getByText('2 courses deleted.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await ui.service.api.get(`/courses/${held.id}`)).status, 404);
  });

  it('Stop ends the action after the current call, and it can be continued', async () => {
    await createAccounts('Stopping 1', 'Stopping 2', 'Stopping 3');
    await using visit = await ui.visit('/accounts?search=Stopping');
    const { page } = visit;
    let deleted = 0;
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/accounts\/\d+$/, async (route) => {
      if (route.request().method() !== 'DELETE') return route.fallback();
      deleted += 1;
      if (deleted === 2) await held;
      await route.continue();
    });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await page.keyboard.press('Enter');
    await dialog.getByText('1 of 3 deleted').waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    release();
    await dialog.getByText('Stopped: 2 deleted, 1 left.').waitFor();
    assert.equal((await accountsNamed('Stopping')).length, 1);
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('3 accounts deleted.').waitFor();
    assert.deepEqual(await accountsNamed('Stopping'), []);
  });

  it('cannot be closed while it runs, and says how far it got, with the failures, if its page is left', async () => {
    await createAccounts('Leaving 1', 'Leaving 2', 'Leaving 3');
    await using visit = await ui.visit('/accounts?search=Leaving');
    const { page } = visit;
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let calls = 0;
    await page.route(/\/accounts\/\d+$/, async (route) => {
      if (route.request().method() !== 'DELETE') return await route.fallback();
      calls += 1;
      if (calls === 1) return await route.fulfill({ status: 500, body: '{}' });
      begun.resolve();
      await held.promise;
      await route.fallback();
    });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 accounts?' });
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await page.keyboard.press('Enter');
    await begun.promise;
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await visit.settled();
    await dialog.getByText('0 of 3 deleted').waitFor();
    await page.evaluate(`void __TSR_ROUTER__.navigate({ href: '/content' })`);
    await page
      .getByRole('dialog', { name: 'Leave while this is running?' })
      .getByRole('button', { name: 'Leave' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
    held.resolve();
    await page
      .getByText(`Stopped: 1 deleted, 1 left. 1 account could not be deleted: ${isolate('Leaving 1')}`)
      .waitFor();
    assert.deepEqual(await accountsNamed('Leaving'), ['Leaving 1', 'Leaving 3']);
  });

  it('registrations, clients and webhooks are deleted from their lists; all pages can be selected', async () => {
    const { api } = ui.service;
    const [account = 0] = await createAccounts('Registrar');
    const course = await courseNamed('Registered course');
    await api.post(`/accounts/${account}/content`, { contents: [{ type: 'COURSE', id: course.id }] });
    for (let number = 0; number < 27; number++) {
      const learner_id = `bulk-${number}`;
      await api.create('/registrations', { account_id: account, course_id: course.id, learner_id });
    }
    for (const name of ['Bulk hook 1', 'Bulk hook 2']) {
      await api.create('/webhooks', { name, topic: 'COURSE', target_url: 'http://127.0.0.1:9/' });
    }
    await using visit = await ui.visit('/registrations?search=bulk-&size=25');
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Select all 27' }).click();
    await page.getByText('27 selected').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByText('and 19 more').waitFor();
    await dialog.getByText(/launch links stop working/).waitFor();
    await dialog.getByRole('button', { name: 'Delete 27 registrations' }).click();
    await page.getByText('27 registrations deleted.').waitFor();
    await page.locator('h1:focus').waitFor();
    const { body } = await api.get(`/registrations?account_id=${account}`);
    assert.deepEqual(body.data, []);

    await visit.go('/administration/integrations/webhooks?search=Bulk');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByText('Nothing more is sent to their targets').waitFor();
    await dialog.getByRole('button', { name: 'Delete 2 webhooks' }).click();
    await page.getByText('2 webhooks deleted.').waitFor();
    await api.create('/webhooks', {
      name: 'Bulk hook 3',
      topic: 'COURSE',
      target_url: 'http://127.0.0.1:9/',
    });
    await api.create('/webhooks', {
      name: 'Bulk hook 4',
      topic: 'COURSE',
      target_url: 'http://127.0.0.1:9/',
    });
    await page.getByRole('button', { name: /^Actions for .*Bulk hook 4/ }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('row', { name: /Bulk hook 4/ }).waitFor({ state: 'detached' });
    await page.locator('h1:focus').waitFor();
  });

  it('courses are added to many accounts from the list of courses, and content from the list of accounts', async () => {
    const { api } = ui.service;
    const ids = await createAccounts('Many A', 'Many B', 'Many C');
    const [one, two] = [await courseNamed('Spread one'), await courseNamed('Spread two')];
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

    const three = await courseNamed('Spread three');
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
    await createAccounts('Chosen A', 'Chosen B');
    const { id } = await courseNamed('Chosen for many');
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
    await createAccounts(...Array.from({ length: 20 }, (_, at) => `Halted ${at}`));
    for (let at = 0; at < 26; at++) await api.create('/folders', { name: `Shelf ${at}` });
    await using visit = await ui.visit('/accounts?search=Halted');
    const { page } = visit;
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route('**/account-content/add', async (route) => {
      begun.resolve();
      await held.promise;
      await route.continue();
    });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Add content…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Search content').fill('Shelf');
    await dialog.getByText('1–26 of 26').waitFor();
    await dialog.getByRole('button', { name: 'Select all shown' }).click();
    await dialog.getByRole('button', { name: 'Add 26 items' }).click();
    await begun.promise;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add content…' }).click();
    held.resolve();
    await page.getByText('Stopped: 19 of 20 accounts done.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('20 selected').waitFor();
  });

  it('a course’s page shows which accounts have it and through what, and changes many at once', async () => {
    const { api } = ui.service;
    const [direct = 0, bundled = 0, later = 0] = await createAccounts('Direct', 'Bundled', 'Later');
    const course = await courseNamed('Watched');
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
    const [above = 0, later = 0] = await createAccounts('Has all', 'Has nothing');
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

  it('the headers of a table stay visible while the page scrolls', async () => {
    await createAccounts(...Array.from({ length: 40 }, (_, at) => `Tall ${at}`));
    await using visit = await ui.visit('/accounts?search=Tall');
    const { page } = visit;
    const head = page.getByRole('columnheader', { name: 'Created' });
    await page.getByRole('link', { name: 'Tall 39' }).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 2_000);
    await until(
      async () => ((await head.boundingBox())?.y ?? -1) === 0,
      'the head is at the top of the window',
    );
    assert.ok(await page.evaluate(() => window.scrollY > 200));
  });

  it('a viewer cannot select anything', async () => {
    await using visit = await ui.visit('/accounts', { as: 'viewer' });
    await visit.page.getByRole('table', { name: 'Accounts' }).waitFor();
    assert.equal(await visit.page.getByRole('checkbox').count(), 0);
  });

  it('a phone has room for the selection and the dialog', async () => {
    await createAccounts('Phone 1', 'Phone 2');
    await using visit = await ui.visit('/accounts?search=Phone', { phone: true });
    const { page } = visit;
    await page.getByRole('checkbox', select('Phone 1')).check();
    await page.getByRole('button', { name: 'Select all on this page' }).click();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog', { name: 'Delete 2 accounts?' }).waitFor();
    await visit.assertAccessible();
  });
});

describe('a selection in a list of more rows than can be selected', () => {
  it('has the first 10,000, read in parts and selected at once, or those that were read when it is stopped', async () => {
    await using ui = await startUi();
    {
      await using database = await openDatabaseOf(ui.service.settings.data_dir);
      const names = Array.from({ length: 10_050 }, (_, at) => `Account ${String(at).padStart(5, '0')}`);
      await database.transaction((tx) =>
        tx.insertMany(
          'accounts',
          ['name', 'enabled', 'revision', 'created_at', 'updated_at'],
          names.map((name) => [name, 1, 1, 1, 1]),
        ),
      );
    }
    await using visit = await ui.visit('/accounts?sort=name');
    const { page } = visit;
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    const held = Promise.withResolvers<void>();
    await page.route('**/ui/api/accounts?*offset=400*', async (route) => {
      await held.promise;
      await route.fallback();
    });
    const asked = new Set<number>();
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/ui/api/accounts' && url.searchParams.get('limit') === '200')
        asked.add(Number(url.searchParams.get('offset')));
    });
    const all = page.getByRole('button', { name: 'Select the first 10,000' });
    await all.click();
    await page.getByRole('button', { name: 'Stop selecting (400 so far)' }).click();
    await page.getByText('400 selected', { exact: true }).waitFor();
    held.resolve();
    await all.click();
    await page.getByText('10,000 selected', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Select (all|the first) [0-9]/ }).count(), 0);
    assert.equal(Math.max(...asked), 9_800);
  });
});
