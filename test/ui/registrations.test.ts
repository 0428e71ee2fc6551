import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { followLink } from '../support/player-client.ts';
import { until } from '../support/until.ts';
import { HOSTILE, Learning } from './support/learning.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('registrations', () => {
  let ui: Ui;
  let learning: Learning;
  before(async () => {
    ui = await startUi();
    learning = await Learning.create(ui);
  });
  after(async () => {
    await ui[Symbol.asyncDispose]();
  });

  it('a learner is registered, their status entered over another’s report, and a launch link made', async () => {
    const id = await learning.accountWithCourses('Adventure Works');
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
    await page.getByLabel('Mode').selectOption('browse');
    await page.getByRole('button', { name: 'Create another link' }).click();
    const made = page.getByLabel('Launch link', { exact: true }).and(page.getByRole('textbox'));
    const browsing = await until(async () => {
      const value = await made.inputValue();
      return value === link ? null : value;
    }, 'another link is made');
    assert.equal((await (await followLink(browsing)).open()).mode, 'browse');
    await page.getByText('This registration was already launched', { exact: false }).waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Actions for this registration' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete registration' }).click();
    await visit.arrived('/registrations');
    assert.equal((await ui.service.api.get(`/registrations/${registrationId}`)).status, 404);
  });

  it('an address of a page behind the last one that can be shown is no error', async () => {
    await using visit = await ui.visit('/registrations?page=20700&search=nobody');
    const { page } = visit;
    await page.getByText('Nothing matches your search and filters.').waitFor();
    assert.equal(await page.getByText('The request was rejected').count(), 0);
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
    await learning.accountWithCourses('Lucerne');
    await learning.accountWithCourses('Wide World');
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

  it('a learner is offered what the account has, and registered for an equivalent of a bundle', async () => {
    const { api } = ui.service;
    const courses = [{ course_id: learning.courses[1]!, language: 'en' }];
    const equivalent = await api.create('/equivalents', { name: 'Climbing', courses });
    const bundle = await api.create('/bundles', {
      name: 'Outdoors',
      contents: [{ type: 'EQUIVALENT', id: equivalent.id }],
    });
    const { id } = await api.create('/accounts', { name: 'Alpine' });
    await api.post(`/accounts/${id}/content`, { contents: [{ type: 'BUNDLE', id: bundle.id }] });
    await api.create('/accounts', { name: 'Barren' });
    await using visit = await ui.visit('/registrations?new=yes');
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    const account = dialog.getByRole('combobox', { name: 'Account' });
    const course = dialog.getByRole('combobox', { name: 'Course or equivalent' });
    await course.click();
    await page.getByText('Choose an account', { exact: true }).waitFor();
    await account.fill('barren');
    await page.getByRole('option', { name: /^Barren/ }).click();
    await course.click();
    await page.getByText('The account has no courses or equivalents').waitFor();
    await account.fill('alpine');
    await page.getByRole('option', { name: /^Alpine/ }).click();
    await course.click();
    await page.getByRole('option', { name: /^Climbing/ }).waitFor();
    assert.equal(await page.getByRole('option').count(), 2, 'the equivalent and its course alone');
    await page.getByRole('option', { name: /^Ladders/ }).waitFor();
    await visit.assertAccessible();
    await page.getByRole('option', { name: /^Climbing/ }).click();
    await dialog.getByLabel('Learner id').fill('ada');
    await api.put(`/accounts/${id}`, { name: 'Alpine', enabled: false });
    await dialog.getByRole('button', { name: 'Register' }).click();
    await dialog.getByText(`The account “Alpine” (${id}) is disabled`).waitFor();
    await visit.assertAccessible();
    await api.put(`/accounts/${id}`, { name: 'Alpine', enabled: true });
    await dialog.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
    const { body } = await api.get(`/registrations/${visit.address().replace('/registrations/', '')}`);
    assert.equal(body.equivalent_id, equivalent.id);
  });

  it('content that another account does not have stays chosen, is named as a fault, and is not registered', async () => {
    const { api } = ui.service;
    const { id: account } = await api.create('/accounts', { name: 'Poor account' });
    await learning.accountWithCourses('Rich account');
    await using visit = await ui.visit('/registrations?new=yes');
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Account' }).click();
    await page.getByRole('option', { name: /^Rich account/ }).click();
    await dialog.getByRole('combobox', { name: 'Course' }).click();
    await page.getByRole('option', { name: /^Ladders/ }).click();
    await dialog.getByLabel('Learner id').fill('moved-learner');
    await dialog.getByRole('combobox', { name: 'Account' }).click();
    await page.getByRole('option', { name: /^Poor account/ }).click();
    const fault = dialog.getByText(
      `${isolate('Poor account')} does not have ${isolate('Ladders')}. Choose something that it has, or add it to the account first`,
    );
    await fault.waitFor();
    await dialog.getByText('Ladders', { exact: true }).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Register' }).click();
    await fault.waitFor();
    assert.deepEqual((await api.get('/registrations?learner_id=moved-learner')).body.data, []);

    await dialog.getByRole('combobox', { name: 'Account' }).click();
    await page.getByRole('option', { name: /^Rich account/ }).click();
    await fault.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { level: 1, name: 'moved-learner' }).waitFor();
    assert.ok(account > 0);
  });

  it('registrations are found by how the learner’s id begins; one learner’s are shown alone', async () => {
    const id = await learning.accountWithCourses('Proseware');
    const [first] = [
      await learning.register(id, learning.courses[0]!, 'Grace.1'),
      await learning.register(id, learning.courses[1]!, 'Grace.12'),
      await learning.register(id, learning.courses[0]!, 'alan'),
    ];
    await using visit = await ui.visit(`/registrations?account_id=${id}`);
    const { page } = visit;
    await page.getByRole('link', { name: 'alan' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search by learner id' }).fill('grace');
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
    const id = await learning.accountWithCourses('Tailspin');
    const registration = await learning.register(id, learning.courses[0]!, 'linus');
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
    const [one, other] = [
      await learning.accountWithCourses('Wingtip'),
      await learning.accountWithCourses('Litware'),
    ];
    await learning.register(one, learning.courses[0]!, 'katherine');
    await learning.register(other, learning.courses[1]!, 'edsger');
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
});
