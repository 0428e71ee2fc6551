import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { KIB } from '../../src/bytes.ts';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { scormPackage, uploadForm } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { folderItem } from './support/folders.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('moving to folders in the admin UI', () => {
  let ui: Ui;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    make = new ContentMaker(ui.service);
  });

  const folder = async (id: number) => (await ui.service.api.get(`/folders/${id}`)).body;

  it('works by dropping folders and courses, with undo', async () => {
    const from = await make.folder('From');
    const to = await make.folder('To');
    const inner = await make.folder('Inner', from);
    const course = await make.course('Dragged course', from);
    await using visit = await ui.visit(`/content?folder=${from}`);
    const { page } = visit;
    await page.getByRole('link', { name: 'Dragged course' }).dragTo(folderItem(page, 'To'));
    await page.getByText(/Dragged course.* was moved to .*To/).waitFor();
    assert.equal((await ui.service.api.get(`/courses/${course.id}`)).body.folder_id, to);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Moved back.').waitFor();
    assert.equal((await ui.service.api.get(`/courses/${course.id}`)).body.folder_id, from);

    await folderItem(page, 'From').click();
    await page.getByRole('tree').press('ArrowRight');
    await folderItem(page, 'Inner').dragTo(folderItem(page, 'To'));
    await page.getByText(/Inner.* was moved to .*To/).waitFor();
    assert.equal((await folder(inner)).parent_id, to);
    // Not into itself.
    await folderItem(page, 'To').dragTo(folderItem(page, 'To'));
    assert.equal((await folder(to)).parent_id, 1);
  });

  it('works for many courses at once', async () => {
    const from = await make.folder('Many');
    const to = await make.folder('Few');
    const made = [];
    for (const name of ['One', 'Two', 'Three']) made.push((await make.course(`${name} of many`, from)).id);
    await using visit = await ui.visit(`/content?folder=${from}`);
    const { page } = visit;
    await page.getByRole('checkbox', { name: /One of many/ }).check();
    await page.getByRole('button', { name: 'Select all on this page' }).click();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Move…' }).click();
    const dialog = page.getByRole('dialog');
    await folderItem(dialog, 'Many').click();
    await dialog.getByText('Already in this folder.').waitFor();
    await dialog.getByRole('textbox', { name: 'Find a folder' }).fill('few');
    await folderItem(dialog, 'Few').click();
    await dialog.getByRole('button', { name: 'Move here' }).click();
    await page.getByText('No courses in this folder').waitFor();
    for (const id of made) assert.equal((await ui.service.api.get(`/courses/${id}`)).body.folder_id, to);
  });

  it('works for many equivalents and bundles, too', async () => {
    const { api } = ui.service;
    const from = await make.folder('Groups');
    const to = await make.folder('Sorted groups');
    const { id: course } = await make.course('In groups', from);
    const parts = {
      equivalents: { courses: [{ course_id: course, language: 'en' }] },
      bundles: { contents: [{ type: 'COURSE', id: course }] },
    };
    for (const [kind, members] of Object.entries(parts)) {
      const made: number[] = [];
      for (const name of ['First group', 'Second group'])
        made.push((await api.create(`/${kind}`, { name, folder_id: from, ...members })).id);
      await using visit = await ui.visit(`/content?folder=${from}&kind=${kind}`);
      const { page } = visit;
      await page.getByRole('checkbox', { name: /First group/ }).check();
      await page.getByRole('button', { name: 'Select all on this page' }).click();
      await page.getByRole('button', { name: 'Move…' }).click();
      const dialog = page.getByRole('dialog', { name: `Move 2 ${kind}` });
      await folderItem(dialog, 'Sorted groups').click();
      await dialog.getByRole('button', { name: 'Move here' }).click();
      await page.getByText(new RegExp(`2 ${kind} were moved to .*Sorted groups`)).waitFor();
      for (const id of made) assert.equal((await api.get(`/${kind}/${id}`)).body.folder_id, to);
    }
  });

  it('says where courses were moved to, whatever is chosen afterwards', async () => {
    const from = await make.folder('Half of it');
    const made = [await make.course('Moves', from), await make.course('Stays', from)];
    await using visit = await ui.visit(`/content?folder=${from}`);
    const { page } = visit;
    for (const { name } of made) await page.getByRole('checkbox', { name: new RegExp(name) }).check();
    await page.route(`${ui.service.url}/courses/${made[1]!.id}`, (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 503, json: {} }) : route.continue(),
    );
    await page.getByRole('button', { name: 'Move…' }).click();
    const dialog = page.getByRole('dialog');
    await folderItem(dialog, 'Home').click();
    await dialog.getByRole('button', { name: 'Move here' }).click();
    await dialog.getByText(/1 of 2 were moved to .*Home/).waitFor();
    await folderItem(dialog, 'Half of it').click();
    await dialog.getByText(/1 of 2 were moved to .*Home/).waitFor();
    await dialog.getByRole('button', { name: 'Move here' }).click();
    await dialog.waitFor({ state: 'detached' });
    const back = await Promise.all(made.map(({ id }) => ui.service.api.get(`/courses/${id}`)));
    assert.deepEqual(
      back.map(({ body }) => body.folder_id),
      [from, from],
    );
  });

  it('returns selected courses that were dragged away', async () => {
    const from = await make.folder('Out of');
    const to = await make.folder('And back', from);
    const made: number[] = [];
    for (const name of ['First', 'Second']) made.push((await make.course(`${name} to return`, from)).id);
    await make.course('One that stays', from);
    const places = async () => {
      const answers = await Promise.all(made.map((id) => ui.service.api.get(`/courses/${id}`)));
      return answers.map(({ body }) => body.folder_id);
    };
    await using visit = await ui.visit(`/content?folder=${from}&below=yes`);
    const { page } = visit;
    const drag = (name: string) =>
      page.getByRole('link', { name: 'First to return' }).dragTo(folderItem(page, name));
    await folderItem(page, 'Out of').waitFor();
    await page.getByRole('tree').press('ArrowRight');
    await page.getByRole('checkbox', { name: /First to return/ }).check();
    await page.getByRole('checkbox', { name: /Second to return/ }).check();
    await drag('And back');
    await page.getByText(/2 courses were moved to .*And back/).waitFor();
    await page.getByText('2 selected').waitFor();
    assert.deepEqual(await places(), [to, to]);
    await drag('Out of');
    await page.getByText(/2 courses were moved to .*Out of/).waitFor();
    assert.deepEqual(await places(), [from, from]);
    // Without the subfolders, the courses leave the list.
    await visit.go(`/content?folder=${from}`);
    await visit.arrived(`/content?folder=${from}`);
    await drag('And back');
    await page.getByRole('link', { name: 'First to return' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Move…' }).click();
    await page
      .getByRole('dialog')
      .getByRole('treeitem', { name: /^Out of ?,/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move here' }).click();
    await page.getByRole('link', { name: 'First to return' }).waitFor();
    assert.deepEqual(await places(), [from, from]);
  });

  it('takes a course from where someone else moved it in the meantime, and undo returns it there', async () => {
    const [from, theirs, ours] = [
      await make.folder('Left'),
      await make.folder('Theirs by now'),
      await make.folder('Ours by now'),
    ];
    const { id } = await make.course('Moved by two', from);
    const place = async () => (await ui.service.api.get(`/courses/${id}`)).body.folder_id;
    await using visit = await ui.visit(`/content?folder=${from}`);
    const { page } = visit;
    const course = page.getByRole('link', { name: 'Moved by two' });
    await course.waitFor();
    // The list does not show this, since it is not read again.
    await page.route('**/ui/api/courses?*', (route) => route.fulfill({ status: 503, json: {} }));
    await ui.service.api.put(`/courses/${id}`, { name: 'Moved by two', folder_id: theirs });
    await course.dragTo(folderItem(page, 'Ours by now'));
    await page.getByText(/Moved by two.* was moved to .*Ours by now/).waitFor();
    assert.equal(await place(), ours);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Moved back.').waitFor();
    assert.equal(await place(), theirs);
  });

  describe('a move of many courses', () => {
    /** Selects three courses, begins to move them, and holds the second one. */
    const begin = async (page: Page, name: string) => {
      const from = await make.folder(`From ${name}`);
      const to = await make.folder(`To ${name}`);
      const ids: number[] = [];
      for (const each of ['1', '2', '3']) ids.push((await make.course(`${name} ${each}`, from)).id);
      await page.goto(`${ui.service.url}/ui/content?folder=${from}`);
      await page.getByRole('checkbox', { name: new RegExp(`${name} 1`) }).check();
      await page.getByRole('button', { name: 'Select all on this page' }).click();
      const held = await holdRequests(page, /\/courses\/\d+$/, { method: 'PUT', from: 2 });
      await page.getByRole('button', { name: 'Move…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Move 3 courses' });
      await folderItem(dialog, `To ${name}`).click();
      await dialog.getByRole('button', { name: 'Move here' }).click();
      await held.begun;
      const places = async () => {
        const answers = await Promise.all(ids.map((id) => ui.service.api.get(`/courses/${id}`)));
        return answers.map(({ body }) => (body.folder_id === to ? 'to' : 'from'));
      };
      return { dialog, places, release: held.release };
    };

    it('stays in its dialog until it is stopped, and can be continued', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      const { dialog, places, release } = await begin(page, 'stopped');
      await page.keyboard.press('Escape');
      assert.equal(await dialog.getByRole('button', { name: 'Cancel' }).count(), 0);
      await dialog.getByRole('button', { name: 'Stop' }).click();
      release();
      await dialog.getByText(/2 of 3 were moved to .*To stopped/).waitFor();
      assert.deepEqual((await places()).toSorted(), ['from', 'to', 'to']);
      await visit.assertAccessible();
      await dialog.getByRole('button', { name: 'Move here' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(await places(), ['to', 'to', 'to']);
    });

    it('is about those that were selected when its dialog opened, even if more are selected since', async () => {
      const from = await make.folder('From a long list');
      const to = await make.folder('To another');
      const course = await make.course('In all of them');
      for (let at = 10; at < 40; at++) await make.bundle(`Bundle ${at}`, [course], from);
      await using visit = await ui.visit(`/content?folder=${from}&kind=bundles&size=25`);
      const { page } = visit;
      const move = await holdRequests(page, /\/bundles\/\d+$/, { method: 'PUT' });
      const reading = await holdRequests(page, '**/ui/api/bundles?*limit=200*');
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
      await page.getByRole('button', { name: 'Select all 30' }).click();
      await reading.begun;
      await page.getByRole('button', { name: 'Move…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Move 25 bundles' });
      await folderItem(dialog, 'To another').click();
      await dialog.getByRole('button', { name: 'Move here' }).click();
      await move.begun;
      reading.release();
      await page.getByText('30 selected').waitFor({ state: 'attached' });
      await dialog.getByText('Moving 1 of 25').waitFor();
      move.release();
      await page.getByText(/25 bundles were moved to .*To another/).waitFor();
      await page.getByText('5 selected').waitFor();
      const { body } = await ui.service.api.get(`/ui/api/bundles?folder_id=${to}&limit=1`);
      assert.equal(body.total, 25);
    });

    it('ends if its page is left, and a notice says how far it got', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      await page.clock.install();
      const { places, release } = await begin(page, 'left');
      // The list is read again, without the course that was moved.
      await page.clock.runFor(20_000);
      await page
        .locator('a', { hasText: /^left \d/ })
        .nth(2)
        .waitFor({ state: 'detached' });
      await page.evaluate('void __TSR_ROUTER__.navigate({ href: "/accounts" })');
      const question = page.getByRole('dialog', { name: 'Leave while this is running?' });
      await question.getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
      release();
      await page.getByText(/2 of 3 were moved to .*To left/).waitFor();
      assert.deepEqual((await places()).toSorted(), ['from', 'to', 'to']);
    });

    it('pauses at once if the service does not respond, and can continue with the rest', async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      const { dialog, places, release } = await begin(page, 'interrupted');
      await page.context().setOffline(true);
      // The list gets no response, until the end of the test. The dialog does not wait for it.
      await page.route('**/ui/api/courses?*', () => {});
      release();
      await dialog.getByText('The service is not responding').waitFor();
      await dialog.getByText(/1 of 3 were moved/).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
      assert.equal(await dialog.getByText(/^Moving/).count(), 0);
      await page.context().setOffline(false);
      await dialog.getByRole('button', { name: 'Move here' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(await places(), ['to', 'to', 'to']);
    });
  });

  it('names all dropped courses that could not be moved in one notice', async () => {
    const from = await make.folder('Dropped from');
    await make.folder('Dropped to');
    const made = [await make.course('Held back 1', from), await make.course('Held back 2', from)];
    await using visit = await ui.visit(`/content?folder=${from}`);
    const { page } = visit;
    for (const { name, id } of made) {
      await page.getByRole('checkbox', { name: new RegExp(name) }).check();
      await page.route(`${ui.service.url}/courses/${id}`, (route) =>
        route.request().method() === 'PUT' ? route.fulfill({ status: 500, json: {} }) : route.continue(),
      );
    }
    await page.getByRole('link', { name: 'Held back 1' }).dragTo(folderItem(page, 'Dropped to'));
    const notice = page.getByRole('alert').filter({ hasText: '2 were not moved' });
    for (const { name } of made) await notice.getByText(name).waitFor();
    assert.equal(await page.getByRole('alert').count(), 1);
  });
});

it('a course with so many versions that its record exceeds max_request_body can be moved', async () => {
  await using ui = await startUi({ settings: { max_request_body: KIB } });
  const { api } = ui.service;
  const make = new ContentMaker(ui.service);
  const to = await make.folder('For long ones');
  const { id } = await make.course('Often revised');
  const upload = uploadForm(await scormPackage());
  while (JSON.stringify((await api.get(`/courses/${id}`)).body).length <= KIB)
    assert.equal((await api.post(`/courses/${id}/versions`, upload)).status, 201);
  await using visit = await ui.visit('/content');
  const { page } = visit;
  await page.getByRole('link', { name: 'Often revised' }).dragTo(folderItem(page, 'For long ones'));
  await page.getByText(/Often revised.* was moved to .*For long ones/).waitFor();
  assert.equal((await api.get(`/courses/${id}`)).body.folder_id, to);
});
