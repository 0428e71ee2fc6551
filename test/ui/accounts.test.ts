import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { uploadForm } from '../content/packages.ts';
import { scorm12Package } from '../support/course-packages.ts';
import { startUi, type Ui } from './support/ui.ts';

const HOSTILE = '<img src=x onerror="document.title=1"> \u202eسلام 🚒';

describe('accounts and registrations', () => {
  let ui: Ui;
  let folderId: number;
  let courses: number[];
  before(async () => {
    ui = await startUi();
    const { api } = ui.service;
    folderId = (await api.create('/folders', { name: 'Safety' })).id;
    courses = [];
    for (const name of ['Fire extinguishers', 'Ladders', HOSTILE]) {
      const bytes = new Uint8Array(await scorm12Package({ title: name }));
      courses.push(
        (await api.create('/courses', uploadForm(bytes, { name, folder_id: String(folderId) }))).id,
      );
    }
  });
  after(async () => {
    await ui[Symbol.asyncDispose]();
  });

  /** An account that holds all courses. */
  const accountWithCourses = async (name: string): Promise<number> => {
    const { id } = await ui.service.api.create('/accounts', { name });
    await ui.service.api.post(`/accounts/${id}/content`, {
      contents: courses.map((course) => ({ type: 'COURSE', id: course })),
    });
    return id;
  };
  const register = async (accountId: number, courseId: number, learner: string): Promise<string> => {
    const body = { account_id: accountId, course_id: courseId, learner_id: learner };
    return (await ui.service.api.create('/registrations', body)).registration_id;
  };

  it('a first account is created from the empty list by keyboard alone', async () => {
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
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    await visit.arrived(/^\/accounts\/\d+$/);
    await page.getByText('No content yet').waitFor();
    await visit.assertAccessible();
  });

  it('content is added many at once, a folder among it, searched, and removed together', async () => {
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

  it('content is paged through; what the account has already says so and cannot be chosen', async () => {
    const { api } = ui.service;
    const { id } = await api.create('/accounts', { name: 'Relecloud' });
    await api.post(`/accounts/${id}/content`, { contents: [{ type: 'COURSE', id: courses[0] }] });
    for (let zone = 1; zone <= 52; zone++) await api.create('/folders', { name: `Zone ${zone}` });
    await using visit = await ui.visit(`/accounts/${id}?add=yes`);
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    const held = dialog.getByRole('checkbox', { name: /^Fire extinguishers/ });
    await held.waitFor();
    assert.deepEqual([await held.isDisabled(), await held.isChecked()], [true, true]);
    await dialog.getByRole('checkbox', { name: /Already in this account/ }).waitFor();
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
    await dialog.getByRole('button', { name: 'Next page' }).click();
    await dialog.getByText('51–52 of 52').waitFor();
    await dialog.getByRole('button', { name: 'Select all shown' }).click();
    await dialog.getByRole('button', { name: 'Add 1 item' }).waitFor();
  });

  it('an account is renamed over somebody else’s change, deactivated, and deleted by typing its name', async () => {
    const id = await accountWithCourses('Contoso');
    await register(id, courses[0]!, 'ada');
    await using visit = await ui.visit(`/accounts/${id}`);
    const { page } = visit;
    const choose = async (item: string) => {
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const dialog = page.getByRole('dialog');
    await choose('Rename…');
    await dialog.getByLabel('Name').fill('Contoso Health');
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
    await dialog.getByText('the assignment of 3 items of content', { exact: false }).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('textbox').fill('Contoso Health');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await visit.arrived('/accounts');
    await page.getByText(`${isolate('Contoso Health')} was deleted.`).waitFor();
    assert.equal((await ui.service.api.get(`/accounts/${id}`)).status, 404);
  });

  it('a learner is registered, their status entered over another’s report, and a launch link made', async () => {
    const id = await accountWithCourses('Adventure Works');
    await using visit = await ui.visit(`/registrations?account_id=${id}`);
    const { page } = visit;
    await page.getByText('Nothing matches your search and filters.').waitFor();
    await page.getByRole('button', { name: 'Register learner' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Register' }).click();
    await dialog.getByText('Choose a course').waitFor();
    await dialog.getByText('Enter a learner id').waitFor();
    const course = dialog.getByRole('combobox', { name: 'Course' });
    await course.fill('Ladders');
    await page.getByRole('option', { name: /Ladders/ }).click();
    await dialog.getByLabel('Learner id').fill(HOSTILE);
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    const registrationId = visit.address().replace('/registrations/', '');
    await visit.assertAccessible();
    await page.getByText('Completed', { exact: true }).click();
    await page.getByLabel('Score').fill('120');
    await page.getByRole('button', { name: 'Save status' }).click();
    await page.getByText('Enter a number from 0 to 100, or leave it empty').waitFor();
    await page.getByLabel('Score').fill('82,5');
    await page.getByLabel('Time spent').fill('1:30:00');
    await ui.service.api.put(`/registrations/${registrationId}/status`, {
      completion: 'Incomplete',
      success: 'UNKNOWN',
      score: 7,
    });
    await page.getByRole('button', { name: 'Save status' }).click();
    await page.getByText('It is now: completion incomplete', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Keep my changes' }).click();
    await page.getByRole('button', { name: 'Save status' }).click();
    await page.getByText('The status was saved.').waitFor();
    const { body } = await ui.service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual(
      [body.completion, body.success, body.score, body.duration],
      ['Completed', 'UNKNOWN', 82.5, 5_400],
    );
    await page.getByRole('button', { name: 'Create launch link' }).click();
    const link = await page
      .getByLabel('Launch link', { exact: true })
      .and(page.getByRole('textbox'))
      .inputValue();
    assert.equal((await fetch(link)).status, 200);
    await page.getByText('This registration was already launched', { exact: false }).waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Actions for this registration' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete registration' }).click();
    await visit.arrived('/registrations');
    assert.equal((await ui.service.api.get(`/registrations/${registrationId}`)).status, 404);
  });

  it('a list of choices opens by typing, an arrow or a click, and never covers what is wrong', async () => {
    await using visit = await ui.visit('/registrations?new=yes');
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Register' }).click();
    const account = dialog.getByRole('combobox', { name: 'Account' });
    const problem = dialog.getByText('Choose an account');
    await problem.waitFor();
    const isOpen = async () => (await account.getAttribute('aria-expanded')) === 'true';
    assert.equal(await account.evaluate((field) => field === document.activeElement), true);
    assert.equal(await isOpen(), false);
    const isUncovered = () =>
      problem.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      });
    for (const open of [
      () => page.keyboard.press('ArrowDown'),
      () => page.keyboard.press('ArrowUp'),
      () => account.click(),
      () => page.keyboard.type('zz'),
    ]) {
      await open();
      await page.getByRole('listbox').waitFor();
      assert.equal(await isOpen(), true);
      assert.equal(await isUncovered(), true);
      await page.keyboard.press('Escape');
      await page.getByRole('listbox').waitFor({ state: 'detached' });
    }
    await problem.waitFor();
    assert.equal(await dialog.count(), 1, 'Escape closed the list alone');
    const described = await account.getAttribute('aria-describedby');
    assert.ok(described?.split(' ').includes((await problem.getAttribute('id')) ?? 'none'), described ?? '');
    await visit.assertAccessible();
  });

  it('a list of one choice closes with it, by mouse and by keyboard; another choice takes its place', async () => {
    await accountWithCourses('Lucerne');
    await accountWithCourses('Wide World');
    await using visit = await ui.visit('/registrations?new=yes');
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    const account = dialog.getByRole('combobox', { name: 'Account' });
    const course = dialog.getByRole('combobox', { name: 'Course' });
    const closed = () => page.getByRole('listbox').waitFor({ state: 'detached' });
    await account.click();
    await page.getByRole('option', { name: /^Lucerne/ }).click();
    await closed();
    await dialog.getByText('Lucerne').waitFor();
    // A list that stays open takes this click, and the account would be another one.
    await course.click();
    await page.getByRole('option', { name: /^Ladders/ }).click();
    await closed();
    await account.fill('wide');
    await page.getByRole('option').nth(1).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await closed();
    await dialog.getByText('Wide World').waitFor();
    assert.equal(await dialog.getByText('Lucerne').count(), 0);
    assert.equal(await dialog.getByText('Ladders').count(), 1);
    await visit.assertAccessible();
  });

  it('registrations are found by how the learner’s id begins; one learner’s are shown alone', async () => {
    const id = await accountWithCourses('Proseware');
    const [first] = [
      await register(id, courses[0]!, 'Grace.1'),
      await register(id, courses[1]!, 'Grace.12'),
      await register(id, courses[0]!, 'alan'),
    ];
    await using visit = await ui.visit(`/registrations?account_id=${id}`);
    const { page } = visit;
    await page.getByRole('link', { name: 'alan' }).waitFor();
    await page.getByRole('searchbox', { name: 'Learner id, or its beginning' }).fill('grace');
    await page.getByRole('link', { name: 'alan' }).waitFor({ state: 'detached' });
    await visit.arrived(`/registrations?account_id=${id}&search=grace`);
    assert.equal(await page.getByRole('link', { name: /^Grace/ }).count(), 2);
    await page.goto(`${ui.service.url}/ui/registrations/${first}`);
    await page.getByRole('link', { name: 'Grace.1', exact: true }).click();
    await visit.arrived('/registrations?learner=Grace.1');
    const oneOnly = page.getByRole('button', { name: 'Learner: Grace.1. Show all learners' });
    await oneOnly.waitFor();
    await page.getByRole('link', { name: 'Grace.1', exact: true }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Grace.12' }).count(), 0);
    await visit.assertAccessible();
    await page.reload();
    await oneOnly.click();
    await page.getByRole('link', { name: 'Grace.12' }).waitFor();
    await visit.arrived('/registrations');
  });

  it('what a form holds is asked about before it is left; a launch that is refused says why', async () => {
    const id = await accountWithCourses('Tailspin');
    const registration = await register(id, courses[0]!, 'linus');
    await using visit = await ui.visit(`/registrations/${registration}`);
    const { page } = visit;
    await page.getByLabel('Score').fill('50');
    await page.getByRole('link', { name: 'Registrations' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    assert.equal(await page.getByLabel('Score').inputValue(), '50');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    assert.equal(await page.getByLabel('Score').inputValue(), '');
    await ui.service.api.put(`/accounts/${id}`, { name: 'Tailspin', enabled: false });
    await page.getByRole('button', { name: 'Create launch link' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /account/i })
      .waitFor();
  });

  it('registrations are narrowed by account, course, status and learner, and the address keeps it', async () => {
    const [one, other] = [await accountWithCourses('Wingtip'), await accountWithCourses('Litware')];
    await register(one, courses[0]!, 'katherine');
    await register(other, courses[1]!, 'edsger');
    await using visit = await ui.visit('/registrations');
    const { page } = visit;
    await page.getByRole('link', { name: 'edsger' }).waitFor();
    await visit.assertAccessible();
    await page
      .getByRole('textbox', { name: 'Account' })
      .or(page.getByRole('combobox', { name: 'Account' }))
      .first()
      .fill('Wingtip');
    await page.getByRole('option', { name: 'Wingtip' }).click();
    await page.getByRole('link', { name: 'edsger' }).waitFor({ state: 'detached' });
    await visit.arrived(`/registrations?account_id=${one}`);
    await page.reload();
    await page.getByRole('link', { name: 'katherine' }).waitFor();
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('Nothing matches your search and filters.').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await page.getByRole('link', { name: 'edsger' }).waitFor();
  });

  it('a service that fails is told of, and asked again', async () => {
    await using visit = await ui.visit('/accounts?search=nothing-like-this');
    const { page } = visit;
    await page.getByText('No results').waitFor();
    await page.route('**/ui/api/registrations*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto(`${ui.service.url}/ui/registrations`);
    await page.getByText('Something went wrong').waitFor();
    await page.unroute('**/ui/api/registrations*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table').waitFor();
    for (const [address, heading] of [
      ['/accounts/4711', 'Account not found'],
      ['/registrations/no-id', 'Registration not found'],
    ]) {
      await page.goto(`${ui.service.url}/ui${address}`);
      await page.getByRole('heading', { level: 1, name: heading! }).waitFor();
    }
  });

  it('a phone has room for all of it', async () => {
    const id = await accountWithCourses('W'.repeat(200));
    const registration = await register(id, courses[2]!, 'l'.repeat(255));
    for (const address of [
      '/accounts',
      `/accounts/${id}`,
      `/accounts/${id}?tab=registrations`,
      `/registrations?account_id=${id}`,
      `/registrations?learner=${'l'.repeat(255)}`,
      `/registrations/${registration}`,
    ]) {
      await using visit = await ui.visit(address, { phone: true });
      await visit.page
        .getByText(/W{20}|l{20}/)
        .first()
        .waitFor();
      await visit.assertNoSidewaysScrolling();
    }
  });

  it('a viewer sees accounts and registrations and is offered no change', async () => {
    const id = await accountWithCourses('Fabrikam');
    const registration = await register(id, courses[1]!, 'grace');
    await using visit = await ui.visit(`/accounts/${id}`, { as: 'viewer' });
    const { page } = visit;
    await page.getByRole('link', { name: 'Ladders' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /Add content|Actions for/ }).count(), 0);
    assert.equal(await page.getByRole('checkbox').count(), 0);
    await page.goto(`${ui.service.url}/ui/registrations/${registration}`);
    await page.getByRole('heading', { level: 1, name: 'grace' }).waitFor();
    assert.equal(
      await page.getByRole('button', { name: /Save status|Create launch link|Delete/ }).count(),
      0,
    );
    await visit.assertAccessible();
  });
});
