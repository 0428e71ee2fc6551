import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { until } from '../support/until.ts';
import { choiceDialog, choose, fieldOf } from './support/choosing.ts';
import { holdRequests } from './support/held-requests.ts';
import { Learning } from './support/learning.ts';
import { startUi, type Ui } from './support/ui.ts';

/** Reads learners from a file of this content. */
const readFrom = (dialog: Locator, content: string | Buffer) =>
  dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'learners.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
const closing = (page: Page) => page.getByRole('dialog', { name: 'Close without registering?' });

describe('registering many learners at once', () => {
  let ui: Ui;
  let learning: Learning;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    learning = await Learning.create(ui);
  });

  const learnersOf = async (accountId: number) =>
    (await ui.service.api.get(`/registrations?account_id=${accountId}&limit=200`)).body.data.map(
      ({ learner_id }: { learner_id: string }) => learner_id,
    );

  it('works from a list, in its order, without those who are already registered', async () => {
    const account = await learning.accountWithCourses('Coho Winery');
    const course = learning.courses[0]!;
    await learning.register(account, course, 'grace');
    await using visit = await ui.visit('/registrations');
    const { page } = visit;
    await page.getByRole('button', { name: 'Register many' }).click();
    const dialog = page.getByRole('dialog', { name: 'Register many learners' });
    await fieldOf(page, 'Account').hover();
    await visit.assertAccessible();
    await choose(page, 'Account', 'Coho Winery');
    await choose(page, 'Course or equivalent', 'Fire extinguishers');
    await until(
      () => fieldOf(page, 'Course or equivalent').evaluate((field) => field === document.activeElement),
      'the field has the focus again',
    );
    await dialog.getByRole('button', { name: 'Register 0 learners' }).click();
    await dialog.getByText('Enter learner ids').waitFor();
    await dialog.getByLabel('Learner ids').and(page.locator(':focus')).waitFor();
    await dialog.getByLabel('Learner ids').fill('ada\ngrace\nada\nalan');
    await dialog.getByText(/Row 3 .*ada.*: repeats row 1/).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Register 3 learners' }).click();
    await dialog.getByText('2 learners were registered. 1 was already registered.').waitFor();
    await visit.assertAccessible();
    assert.deepEqual(await learnersOf(account), ['grace', 'ada', 'alan']);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('link', { name: 'alan' }).waitFor();
  });

  it('says what is missing until it is chosen', async () => {
    const name = 'Missing pieces';
    await learning.accountWithCourses(name);
    await using visit = await ui.visit('/registrations?new=many');
    const { page } = visit;
    const dialog = page.getByRole('dialog', { name: 'Register many learners' });
    await dialog.getByRole('button', { name: 'Register 0 learners' }).click();
    const noAccount = dialog.getByText('Choose an account', { exact: true });
    const noCourse = dialog.getByText('Choose a course or an equivalent', { exact: true });
    await noAccount.waitFor();
    await noCourse.waitFor();
    await fieldOf(page, 'Account').and(page.locator(':focus')).waitFor();
    await choose(page, 'Account', name);
    await noAccount.waitFor({ state: 'detached' });
    await choose(page, 'Course or equivalent', 'Ladders');
    await noCourse.waitFor({ state: 'detached' });
  });

  it('works from a CSV file; after a failure it stops, and nobody is registered twice', async () => {
    const account = await learning.accountWithCourses('Fourth Coffee');
    const course = learning.courses[1]!;
    await using visit = await ui.visit(`/registrations?account_id=${account}&course_id=${course}&new=many`, {
      phone: true,
    });
    const { page } = visit;
    const dialog = page.getByRole('dialog', { name: 'Register many learners' });
    await dialog.getByRole('button', { name: 'Read from a file…' }).waitFor();
    await readFrom(dialog, 'name;learner_id\nAda;ada\nGrace;grace\nAlan;alan\n');
    await visit.assertNoSidewaysScrolling();
    let created = 0;
    await page.route('**/registrations', async (route) => {
      if (route.request().method() !== 'POST') return await route.continue();
      created += 1;
      // The second learner is registered, but the response is lost.
      if (created === 2) await route.fetch();
      await (created === 2 ? route.abort() : route.continue());
    });
    await dialog.getByRole('button', { name: 'Register 3 learners' }).click();
    await dialog.getByText('1 learner was registered. 2 learners are left.').waitFor();
    await dialog.getByText('The service is not responding').waitFor();
    await page.keyboard.press('Escape');
    await closing(page).getByRole('button', { name: 'Keep editing' }).click();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('were registered').filter({ hasNotText: 'left' }).waitFor();
    assert.deepEqual(await learnersOf(account), ['ada', 'grace', 'alan']);
  });

  it('reads the corrected file again if it has the same name', async () => {
    await using visit = await ui.visit('/registrations?new=many');
    const { page } = visit;
    const dialog = page.getByRole('dialog', { name: 'Register many learners' });
    const folder = await mkdtemp(path.join(tmpdir(), 'learners-'));
    try {
      const file = path.join(folder, 'learners.csv');
      for (const learners of ['ada', 'ada\ngrace']) {
        await writeFile(file, learners);
        const chooser = page.waitForEvent('filechooser');
        await dialog.getByRole('button', { name: 'Read from a file…' }).click();
        await (await chooser).setFiles(file);
        await until(
          async () => (await dialog.getByLabel('Learner ids').inputValue()) === learners,
          'the file was read',
        );
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('reads files in UTF-8 and UTF-16, and says why it cannot read another one', async () => {
    await using visit = await ui.visit('/registrations?new=many');
    const { page } = visit;
    const dialog = page.getByRole('dialog', { name: 'Register many learners' });
    const list = dialog.getByLabel('Learner ids');
    await list.waitFor();
    // As if another program had changed the file since it was chosen.
    await page.evaluate(() => {
      const { arrayBuffer } = Blob.prototype;
      Blob.prototype.arrayBuffer = () => {
        Blob.prototype.arrayBuffer = arrayBuffer;
        return Promise.reject(new DOMException('changed', 'NotReadableError'));
      };
    });
    await readFrom(dialog, 'ada\n');
    await dialog.getByText('The file could not be read.').waitFor();
    assert.equal(await list.inputValue(), '');
    await readFrom(dialog, 'ada\n');
    await dialog.getByRole('status').filter({ hasText: '1 learner' }).waitFor();
    assert.equal(await dialog.getByText('The file could not be read.').count(), 0);
    await list.fill('');
    await readFrom(dialog, Buffer.from('learner_id\r\nMüller\r\nMöller\r\n', 'latin1'));
    await dialog.getByText('The file is not UTF-8. In Excel, save it as “CSV UTF-8”.').waitFor();
    await visit.assertAccessible();
    assert.equal(await list.inputValue(), '');
    const littleEndian = Buffer.from('\ufefflearner_id\r\nMüller\r\n', 'utf16le');
    for (const file of [littleEndian, Buffer.from(littleEndian).swap16()]) {
      await list.fill('');
      await readFrom(dialog, file);
      await dialog.getByRole('status').filter({ hasText: '1 learner' }).waitFor();
      assert.equal(await list.inputValue(), 'learner_id\nMüller\n');
      assert.equal(await dialog.getByText('The file is not UTF-8').count(), 0);
    }
    await list.fill('M\ufffdller');
    await dialog.getByText(/Row 1 .*: contains �/).waitFor();
    await list.fill('');
  });

  it('asks before a list is lost, and a click beside the dialog does not close it', async () => {
    await using visit = await ui.visit('/registrations?new=many');
    const { page } = visit;
    const dialog = page.getByRole('dialog', { name: 'Register many learners' });
    const question = closing(page);
    const list = dialog.getByLabel('Learner ids');
    await list.fill('ada\ngrace');
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await question.waitFor();
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    assert.equal(await list.inputValue(), 'ada\ngrace');
    await fieldOf(page, 'Account').click();
    await choiceDialog(page).waitFor();
    await page.keyboard.press('Escape');
    await choiceDialog(page).waitFor({ state: 'detached' });
    assert.equal(await question.count(), 0, 'Escape closes the choice alone');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Register many' }).click();
    assert.equal(await list.inputValue(), '');
    await list.fill('alan');
    await page.goBack();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    assert.equal(await list.inputValue(), 'alan');
    await visit.arrived('/registrations?new=many');
    await page.goBack();
    await question.getByRole('button', { name: 'Leave' }).click();
    await dialog.waitFor({ state: 'detached' });
    await visit.arrived('/registrations');
    await page.getByRole('button', { name: 'Register many' }).click();
    await list.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('cannot be closed by accident while it runs, only stopped', async () => {
    const account = await learning.accountWithCourses('Graphic Design');
    const course = learning.courses[0]!;
    await using visit = await ui.visit(`/registrations?account_id=${account}&course_id=${course}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Register many' }).click();
    const dialog = page.getByRole('dialog', { name: 'Register many learners' });
    await dialog.getByLabel('Learner ids').fill('ada\ngrace');
    const held = await holdRequests(page, '**/registrations');
    await dialog.getByRole('button', { name: 'Register 2 learners' }).click();
    await dialog.getByText('2 learners are left.').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0);
    await page.goBack();
    await closing(page).getByRole('button', { name: 'Stay' }).click();
    await closing(page).waitFor({ state: 'detached' });
    held.release();
    await dialog.getByText('2 learners were registered.').waitFor();
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await learnersOf(account), ['ada', 'grace']);
  });

  it('says how far it got if its page is left', async () => {
    const account = await learning.accountWithCourses('Left early');
    const course = learning.courses[0]!;
    await using visit = await ui.visit('/accounts');
    const { page } = visit;
    await visit.go(`/registrations?account_id=${account}&course_id=${course}&new=many`);
    await page.getByLabel('Learner ids').fill('ada\ngrace');
    const held = await holdRequests(page, '**/registrations');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Register 2 learners' }).click();
    await sent;
    await page.goBack();
    await closing(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    held.release();
    await page.getByText('1 learner was registered. 1 learner is left.').waitFor();
    assert.deepEqual(await learnersOf(account), ['ada']);
  });
});

describe('an exported list', () => {
  let ui: Ui;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    make = new ContentMaker(ui.service);
  });

  it('has all pages of the search, in the order of the list', async () => {
    const names = Array.from({ length: 230 }, (_, at) => `Branch ${String(at).padStart(3, '0')}`);
    for (const name of [...names, 'Headquarters']) await ui.service.api.create('/accounts', { name });
    await using visit = await ui.visit('/accounts?search=branch&direction=desc&sort=name&size=25');
    const { page } = visit;
    const button = page.getByRole('button', { name: 'Export CSV' });
    await button.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    assert.equal(download.suggestedFilename(), 'accounts.csv');
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
    assert.match(lines[0]!, /^\ufeffid,name,enabled/);
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[1]),
      names.toReversed(),
    );
  });

  it('has only what the search of its page finds, for webhooks and courses, too', async () => {
    for (const name of ['Found', 'Passed over']) {
      const webhook = { name, topic: 'COURSE', target_url: 'http://127.0.0.1:9/', enabled: false };
      await ui.service.api.create('/webhooks', webhook);
      await make.course(name);
    }
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    for (const address of ['/administration/integrations/webhooks', '/content']) {
      await visit.go(`${address}?search=Found`);
      await page.getByText('1–1 of 1').waitFor();
      const button = page.getByRole('button', { name: 'Export CSV' });
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
      assert.match(lines.slice(1).join(), /^\d+,Found,/, address);
      assert.equal(lines.length, 2, address);
    }
  });

  it('has all pages of a log, with its filters', async () => {
    const names = Array.from({ length: 205 }, (_, at) => `Logged ${at}.`);
    for (const name of names) await ui.service.api.create('/accounts', { name });
    await using visit = await ui.visit('/administration/integrations/events?subtopic=ACCOUNT_CREATED');
    const { page } = visit;
    const button = page.getByRole('button', { name: 'Export CSV' });
    await button.waitFor();
    await visit.assertAccessible();
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    assert.equal(download.suggestedFilename(), 'events.csv');
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).split('\r\n');
    assert.match(head!, /^\ufeffid,/);
    assert.deepEqual(
      names.filter((name) => lines.filter((line) => line.includes(name)).length !== 1),
      [],
      'each is there once',
    );
    assert.ok(lines.every((line) => line.includes('ACCOUNT_CREATED')));
    await visit.go('/administration/audit-log?object_type=ADMINISTRATOR');
    const [log] = await Promise.all([page.waitForEvent('download'), button.click()]);
    assert.equal(log.suggestedFilename(), 'audit-log.csv');
    const entries = (await readFile(await log.path(), 'utf8')).split('\r\n');
    assert.ok(entries.some((line) => line.includes('ADMINISTRATOR_CREATED')));
  });
});
