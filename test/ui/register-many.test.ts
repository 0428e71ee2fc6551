import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { Learning } from './support/learning.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('registering many learners at once', () => {
  let ui: Ui;
  let learning: Learning;
  before(async () => {
    ui = await startUi();
    learning = await Learning.create(ui);
  });
  after(() => ui[Symbol.asyncDispose]());

  const learnersOf = async (accountId: number) =>
    (await ui.service.api.get(`/registrations?account_id=${accountId}&limit=200`)).body.data.map(
      ({ learner_id }: { learner_id: string }) => learner_id,
    );

  it('works from a list, in its order, without those who are already registered', async () => {
    const account = await learning.accountWithCourses('Coho Winery');
    const course = learning.courses[0]!;
    await learning.register(account, course, 'grace');
    await using visit = await ui.visit(`/registrations?account_id=${account}&course_id=${course}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Register many' }).click();
    const dialog = page.getByRole('dialog', { name: 'Register many learners' });
    await dialog.getByRole('button', { name: 'Register 0 learners' }).click();
    await dialog.getByText('Enter learner ids').waitFor();
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

  it('works from a CSV file; after a failure it stops, and nobody is registered twice', async () => {
    const account = await learning.accountWithCourses('Fourth Coffee');
    const course = learning.courses[1]!;
    await using visit = await ui.visit(`/registrations?account_id=${account}&course_id=${course}&new=many`, {
      phone: true,
    });
    const { page } = visit;
    const dialog = page.getByRole('dialog', { name: 'Register many learners' });
    await dialog.getByRole('button', { name: 'Read from a file…' }).waitFor();
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'learners.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('name;learner_id\nAda;ada\nGrace;grace\nAlan;alan\n'),
    });
    await visit.assertNoSidewaysScrolling();
    let created = 0;
    await page.route('**/registrations', async (route) => {
      if (route.request().method() !== 'POST') return await route.continue();
      created += 1;
      // The second learner is registered, but the answer is lost.
      if (created === 2) await route.fetch();
      await (created === 2 ? route.abort() : route.continue());
    });
    await dialog.getByRole('button', { name: 'Register 3 learners' }).click();
    await dialog.getByText('1 learner was registered. 2 learners are left.').waitFor();
    await dialog.getByText('The service is not responding').waitFor();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('were registered').filter({ hasNotText: 'left' }).waitFor();
    assert.deepEqual(await learnersOf(account), ['ada', 'grace', 'alan']);
  });
});

describe('an exported list of registrations', () => {
  let ui: Ui;
  before(async () => {
    ui = await startUi();
  });
  after(() => ui[Symbol.asyncDispose]());

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
