import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ContentMaker, type NamedAsset } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { holdRequests } from './support/held-requests.ts';
import { HOSTILE } from './support/hostile-name.ts';
import { loseFirstResponse } from './support/lost-responses.ts';
import { startUi, type Ui } from './support/ui.ts';
import { hasValue } from './support/values.ts';

describe('equivalents and bundles', () => {
  let ui: Ui;
  let make: ContentMaker;
  const courses: NamedAsset[] = [];
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    make = new ContentMaker(ui.service);
    for (const name of ['Fire', 'Feuer', 'Feu', HOSTILE]) courses.push(await make.course(name));
  });

  const course = (at: number) => courses[at] as NamedAsset;
  const items = (page: Page) =>
    page.getByRole('list', { name: /^(Courses|Contents)$/ }).getByRole('listitem');
  const names = async (page: Page) =>
    (await items(page).allInnerTexts()).map((text) => text.trim().split('\n')[0]);
  const add = async (page: Page, button: string, ...chosen: string[]) => {
    await page.getByRole('button', { name: button }).click();
    const dialog = page.getByRole('dialog');
    for (const name of chosen)
      await dialog
        .getByRole('checkbox', { name: new RegExp(`^${name}`) })
        .first()
        .check();
    await dialog.getByRole('button', { name: /^Add \d+ items?$/ }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  it('create an equivalent from courses by language, even if the response was lost, with errors next to their fields', async () => {
    await using visit = await ui.visit('/content/equivalents/new');
    const { page } = visit;
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByText('Add at least one course.').waitFor();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.and(page.locator(':focus')).waitFor();
    await name.fill('Fire, all languages');
    await add(page, 'Add courses', 'Fire', 'Feuer', 'Feu ');
    const language = (of: string) =>
      page.getByRole('combobox', { name: new RegExp(`^Language of .?${of}.?$`) });
    await language('Fire').fill('engl');
    await page.getByRole('option', { name: /^English ?en$/ }).click();
    await language('Feuer').fill('de-ch');
    await language('Feu').fill('not a language');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Unknown language.').waitFor();
    await language('Feu').and(page.locator(':focus')).waitFor();
    await language('Feu').fill('DE-ch');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Another course already has this language.').waitFor();
    await visit.assertAccessible();
    await language('Feu').fill('French');
    await loseFirstResponse(page, '**/equivalents');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('form').getByText('The service is not responding').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Fire, all languages', level: 1 }).waitFor();
    const [id] = new URL(page.url()).pathname.match(/\d+$/) ?? [];
    const { body } = await ui.service.api.get(`/equivalents/${id}`);
    assert.deepEqual(
      body.courses.map((each: { language: string }) => each.language),
      ['en', 'de-CH', 'fr'],
    );
    assert.equal((await ui.service.api.get('/ui/api/equivalents?search=Fire, all')).body.total, 1);
    await visit.assertAccessible();
  });

  it('show the latest changes when they are opened again', async () => {
    const asset = await make.equivalent('Before', [course(0)]);
    await using visit = await ui.visit(`/content/equivalents/${asset.id}`);
    const { page } = visit;
    await page.getByRole('heading', { name: 'Before', level: 1 }).waitFor();
    await visit.go('/content/bundles/new');
    await page.getByRole('heading', { name: 'Before', level: 1 }).waitFor({ state: 'detached' });
    const { body, headers } = await ui.service.api.get(`/equivalents/${asset.id}`);
    const changed = { ...body, name: 'After' };
    const etag = { 'if-match': headers.get('etag') ?? '' };
    assert.equal((await ui.service.api.put(`/equivalents/${asset.id}`, changed, etag)).status, 200);
    await visit.go(`/content/equivalents/${asset.id}`);
    await page.getByRole('heading', { name: 'After', level: 1 }).waitFor();
    await hasValue(page.getByRole('textbox', { name: 'Name' }), 'After');
  });

  it('add many assets to a bundle at once, in an order that keys and the mouse change', async () => {
    const equivalent = await make.equivalent('Water', [course(0)]);
    await using visit = await ui.visit('/content/bundles/new');
    const { page } = visit;
    await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
    await page.getByRole('button', { name: 'Add contents' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Course' }).click();
    await dialog.getByRole('checkbox', { name: /^Water/ }).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Select all shown' }).click();
    await dialog.getByText('4 selected').waitFor();
    await dialog.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Equivalent' }).click();
    await dialog.getByLabel('Search content').fill(String(equivalent.id));
    await dialog.getByRole('checkbox', { name: /^Water/ }).check();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Add 5 items' }).click();
    await dialog.waitFor({ state: 'detached' });
    await items(page).nth(4).waitFor();
    const before = await names(page);
    assert.equal(before.length, 5);
    const up = page.getByRole('button', { name: /^Move .?Water.? up$/ });
    await up.focus();
    await page.keyboard.press('Enter');
    await page.getByText(/Water.? is now number 4 of 5/).waitFor({ state: 'attached' });
    await up.and(page.locator(':focus')).waitFor();
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Enter');
    assert.equal((await names(page))[0], 'Water');
    await items(page).nth(4).locator('[draggable]').dragTo(items(page).nth(0));
    assert.equal((await names(page))[0], before[3]);
    await page.getByRole('button', { name: /^Remove .?Feuer.?$/ }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: HOSTILE, level: 1 }).waitFor();
    assert.notEqual(await page.title(), '1');
    const [id] = new URL(page.url()).pathname.match(/\d+$/) ?? [];
    const { body } = await ui.service.api.get(`/bundles/${id}`);
    assert.equal(body.contents.length, 4);
    assert.deepEqual(body.contents[1], { type: 'EQUIVALENT', id: equivalent.id, name: 'Water' });
    await visit.assertNoSidewaysScrolling();
  });

  it('ask before changes are lost, and keep them while the page is open', async () => {
    const { id } = await make.bundle('Careful', [course(0)]);
    await using visit = await ui.visit(`/content/bundles/${id}`);
    const { page } = visit;
    await add(page, 'Add contents', 'Feuer');
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await page.getByText('Leave without saving?').waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    assert.equal((await names(page)).length, 2);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    assert.equal((await names(page)).length, 1);
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await visit.arrived('/content');
  });

  it('are not overwritten without asking if someone else changed them', async () => {
    const { id } = await make.bundle('Shared', [course(0)]);
    await using visit = await ui.visit(`/content/bundles/${id}`);
    const { page } = visit;
    const name = page.getByRole('textbox', { name: 'Name' });
    const save = page.getByRole('button', { name: 'Save changes' });
    const theirs = (text: string) =>
      ui.service.api.put(`/bundles/${id}`, { name: text, contents: [{ type: 'COURSE', id: course(1).id }] });
    await name.fill('Mine');
    await theirs('Theirs');
    await save.click();
    await page.getByText('Someone else changed this in the meantime').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Discard my changes' }).click();
    await page.getByRole('heading', { name: 'Theirs', level: 1 }).waitFor();
    await hasValue(name, 'Theirs');
    await name.fill('Mine again');
    await theirs('Theirs again');
    await save.click();
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByRole('heading', { name: 'Mine again', level: 1 }).waitFor();
    assert.equal((await ui.service.api.get(`/bundles/${id}`)).body.name, 'Mine again');
  });

  it('have the language of a name that was submitted with Enter', async () => {
    const { id } = await make.equivalent('By name', [course(0)]);
    await using visit = await ui.visit(`/content/equivalents/${id}`);
    const { page } = visit;
    const language = page.getByRole('combobox', { name: /^Language of/ });
    await language.fill('Deutsch');
    await page.keyboard.press('Enter');
    await page.getByText('Unknown language.').waitFor();
    await language.fill('German');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    const { body } = await ui.service.api.get(`/equivalents/${id}`);
    assert.equal(body.courses[0].language, 'de');
    await language.and(page.locator(':focus')).waitFor();
    await hasValue(language, 'de');
  });

  it('show what was saved even if they cannot be read again, and can be saved once more', async () => {
    const { id } = await make.bundle('Once', [course(0)]);
    await using visit = await ui.visit(`/content/bundles/${id}`);
    const { page } = visit;
    const name = page.getByRole('textbox', { name: 'Name' });
    const save = page.getByRole('button', { name: 'Save changes' });
    await name.waitFor();
    await page.route(`**/bundles/${id}`, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    );
    for (const text of ['Twice', 'Thrice']) {
      await name.fill(` ${text} `);
      await save.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: text, level: 1 }).waitFor();
      await hasValue(name, text);
      assert.equal((await ui.service.api.get(`/bundles/${id}`)).body.name, text);
      // The focus stays on the button.
      await save.and(page.locator(':focus')).waitFor();
    }
    await page.getByText('Saved.').first().waitFor();
    assert.equal(await page.getByText('Someone else changed this').count(), 0);
  });

  it('keep what is typed while they are saved', async () => {
    const { id } = await make.bundle('Slow', [course(0)]);
    await using visit = await ui.visit(`/content/bundles/${id}`);
    const { page } = visit;
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    const held = await holdRequests(page, `**/bundles/${id}`, { method: 'PUT' });
    await name.fill('Sent');
    await page.keyboard.press('Enter');
    await held.begun;
    await name.fill('Typed later');
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await page.getByText('Leave without saving?').waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    held.release();
    await page.getByRole('heading', { name: 'Sent', level: 1 }).waitFor();
    assert.equal(await name.inputValue(), 'Typed later');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Typed later', level: 1 }).waitFor();
    assert.equal((await ui.service.api.get(`/bundles/${id}`)).body.name, 'Typed later');
  });

  it('keep the changes after a conflict until the record of the other person is read', async () => {
    const { id } = await make.equivalent('Contested', [course(0)]);
    await using visit = await ui.visit(`/content/equivalents/${id}`);
    const { page } = visit;
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Mine');
    await ui.service.api.put(`/equivalents/${id}`, {
      name: 'Theirs',
      courses: [{ course_id: course(0).id, language: 'en' }],
    });
    await page.keyboard.press('Enter');
    await page.getByText('Someone else changed this in the meantime').waitFor();
    await page.route(`**/equivalents/${id}`, (route) =>
      route.request().method() === 'GET' ? route.fulfill({ status: 500, json: {} }) : route.continue(),
    );
    for (const button of ['Discard my changes', 'Overwrite with mine']) {
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('alert').getByText('Something went wrong').first().waitFor();
      assert.equal(await name.inputValue(), 'Mine');
      await page.getByRole('alert').getByRole('button', { name: 'Close' }).first().click();
      await page.getByText('Something went wrong').waitFor({ state: 'detached' });
    }
    assert.equal((await ui.service.api.get(`/equivalents/${id}`)).body.name, 'Theirs');
    await page.unroute(`**/equivalents/${id}`);
    await page.getByRole('button', { name: 'Discard my changes' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Theirs', level: 1 }).waitFor();
    await hasValue(name, 'Theirs');
    await page.getByRole('button', { name: 'Save changes' }).and(page.locator(':focus')).waitFor();
  });

  it('can still be searched when removing an item leaves few', async () => {
    const many = await make.equivalent(
      'Eleven',
      Array.from({ length: 11 }, () => course(0)),
    );
    await using visit = await ui.visit(`/content/equivalents/${many.id}`);
    const { page } = visit;
    const filter = page.getByRole('textbox', { name: 'Filter this list' });
    await filter.fill('en-105');
    await page.getByRole('button', { name: /^Remove/ }).click();
    assert.equal(await items(page).count(), 0);
    await filter.fill('');
    await items(page).nth(9).waitFor();
    await filter.fill('en-103');
    await items(page).nth(1).waitFor({ state: 'detached' });
    assert.equal(await items(page).count(), 1);
  });

  it('are moved to another folder, and show when their contents were deleted', async () => {
    const folder = await make.folder('New place');
    const doomed = await make.course('Doomed');
    const { id } = await make.bundle('Mover', [course(0)]);
    await using visit = await ui.visit(`/content/bundles/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Folder: Change…' }).click();
    await page
      .getByRole('dialog')
      .getByRole('treeitem', { name: /^New place/ })
      .click();
    await page.getByRole('button', { name: 'Choose', exact: true }).click();
    await page.getByText('Home > New place').waitFor();
    await add(page, 'Add contents', 'Doomed');
    await ui.service.api.delete(`/courses/${doomed.id}`);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText(`There is no course ${doomed.id}`).waitFor();
    await page.getByRole('button', { name: /^Remove .?Doomed.?$/ }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    assert.equal((await ui.service.api.get(`/bundles/${id}`)).body.folder_id, folder);
  });

  it('are found in their folder, and deleted only if nothing uses them', async () => {
    const folder = await make.folder('Held');
    const equivalent = await make.equivalent('Held equivalent', [course(0)], folder);
    const bundle = await make.bundle('Holding bundle', [equivalent], folder);
    const account = await make.account('Contoso');
    await make.add(account, bundle);
    await using visit = await ui.visit(`/content?folder=${folder}&kind=equivalents`);
    const { page } = visit;
    await page.getByRole('link', { name: 'Held equivalent' }).click();
    const ask = async (menu: string) => {
      await page.getByRole('button', { name: menu }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
    };
    await ask('Equivalent actions');
    await page.getByRole('dialog').getByRole('link', { name: 'Holding bundle' }).click();
    await page.getByRole('heading', { name: 'Holding bundle', level: 1 }).waitFor();
    await ask('Bundle actions');
    await page.getByRole('dialog').getByRole('link', { name: 'Contoso' }).waitFor();
    await make.remove(account, bundle);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await ask('Bundle actions');
    await page.getByRole('button', { name: 'Delete bundle' }).click();
    await visit.arrived(`/content?folder=${folder}`);
    assert.equal((await ui.service.api.get(`/bundles/${bundle.id}`)).status, 404);
  });

  it('show viewers what others have changed, and keep their focus', async () => {
    const bundle = await make.bundle('Before', [course(0), course(1)]);
    const equivalent = await make.equivalent('Before', [course(0), course(1)]);
    await using visit = await ui.visit('/profile', { as: 'viewer' });
    const { page } = visit;
    await page.clock.install();
    for (const [path, list] of [
      [`/bundles/${bundle.id}`, 'contents'],
      [`/equivalents/${equivalent.id}`, 'courses'],
    ] as const) {
      await visit.go(`/content${path}`);
      const link = page.getByRole('link', { name: 'Feuer', exact: true });
      await link.focus();
      const { body, headers } = await ui.service.api.get(path);
      const changed = { ...body, name: 'After', [list]: body[list].slice(1) };
      const etag = { 'if-match': headers.get('etag') ?? '' };
      assert.equal((await ui.service.api.put(path, changed, etag)).status, 200);
      await page.clock.runFor(16_000);
      await page.getByRole('heading', { name: 'After', level: 1 }).waitFor();
      await page.getByRole('link', { name: 'Fire', exact: true }).waitFor({ state: 'detached' });
      assert.equal(await items(page).count(), 1);
      await link.and(page.locator(':focus')).waitFor();
    }
  });

  it('are read-only for viewers, and nothing is wider than the window on a phone', async () => {
    const { id } = await make.equivalent(HOSTILE, [course(3), course(1)]);
    await using visit = await ui.visit(`/content/equivalents/${id}`, { as: 'viewer', phone: true });
    const { page } = visit;
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    for (const name of ['Save changes', 'Add courses', 'Equivalent actions'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    await visit.assertAccessible();
    await visit.assertNoSidewaysScrolling();
    await visit.go('/content/equivalents/4711');
    await page.getByText('This no longer exists').waitFor();
  });
});
