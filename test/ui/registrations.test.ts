import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { aroundTests } from '../support/around-tests.ts';
import { followLink, startLaunch } from '../support/player-client.ts';
import { until } from '../support/until.ts';
import { choiceDialog, choose, fieldOf } from './support/choosing.ts';
import { countClicks } from './support/clicks.ts';
import { holdRequests } from './support/held-requests.ts';
import { HOSTILE } from './support/hostile-name.ts';
import { Learning } from './support/learning.ts';
import { loseFirstResponse } from './support/lost-responses.ts';
import { startUi, type Ui } from './support/ui.ts';
import { hasValue } from './support/values.ts';

describe('registrations in the admin UI', () => {
  let ui: Ui;
  let learning: Learning;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    learning = await Learning.create(ui);
  });

  it('a learner is registered once though the response was lost, their status set despite another report, and a launch link created', async () => {
    const id = await learning.accountWithCourses('Adventure Works');
    await using visit = await ui.visit(`/registrations?account_id=${id}`);
    const { page } = visit;
    await page.getByText('Nothing matches your search and filters.').waitFor();
    await page.getByRole('button', { name: 'Register learner' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Register' }).click();
    await dialog.getByText('Choose a course').waitFor();
    await dialog.getByText('Enter a learner id').waitFor();
    await choose(page, 'Course or equivalent', 'Ladders');
    await dialog.getByLabel('Learner id').fill(HOSTILE);
    // A click beside the dialog does not discard the input.
    await page.mouse.click(5, 5);
    await visit.settled();
    assert.equal(await dialog.getByLabel('Learner id').inputValue(), HOSTILE);
    await visit.assertAccessible();
    await loseFirstResponse(page, '**/registrations');
    await dialog.getByRole('button', { name: 'Register' }).click();
    await dialog.getByText('The service is not responding').waitFor();
    await dialog.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    const { body: registered } = await ui.service.api.get(`/registrations?account_id=${id}`);
    assert.equal(registered.data.length, 1);
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
    await page.getByRole('button', { name: 'Save status' }).and(page.locator(':focus')).click();
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
    await page.getByText('Mode: normal.').waitFor();
    await page.getByLabel('Mode').selectOption('browse');
    const made = page.getByLabel('Launch link', { exact: true }).and(page.getByRole('textbox'));
    await made.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create launch link' }).click();
    await page.getByText('Mode: browse.').waitFor();
    const browsing = await made.inputValue();
    assert.equal((await (await followLink(browsing)).open()).mode, 'browse');
    await page.getByText('This registration was already launched', { exact: false }).waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Actions for this registration' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete registration' }).click();
    await visit.arrived('/registrations');
    assert.equal((await ui.service.api.get(`/registrations/${registrationId}`)).status, 404);
  });

  it('the chosen part of a control, the current page and the open tab stand out in the colours of the system', async () => {
    const account = await learning.accountWithCourses('Fourth Coffee');
    const id = await learning.register(account, learning.courses[0]!, 'barbara');
    await using visit = await ui.visit(`/registrations/${id}`);
    const { page } = visit;
    await page.emulateMedia({ forcedColors: 'active' });
    const lookOf = async (locator: Locator) =>
      await locator.evaluate((element) => {
        const { backgroundColor, borderBottomColor } = getComputedStyle(element);
        return { backgroundColor, borderBottomColor };
      });
    const differ = async (chosen: Locator, other: Locator) =>
      assert.notDeepEqual(await lookOf(chosen), await lookOf(other));
    const choices = page.getByRole('radiogroup').first().locator('label');
    await differ(
      choices.and(page.locator('[data-active]')),
      choices.and(page.locator(':not([data-active])')).first(),
    );
    const pages = page.getByRole('navigation', { name: 'Main' });
    await differ(
      pages.getByRole('link', { name: 'Registrations' }),
      pages.getByRole('link', { name: 'Accounts' }),
    );
    await visit.go(`/accounts/${account}`);
    await differ(
      page.getByRole('tab', { selected: true }),
      page.getByRole('tab', { selected: false }).first(),
    );
  });

  it('a launch link that stays on the page says that it has expired', async () => {
    const account = await learning.accountWithCourses('Margie’s Travel');
    const id = await learning.register(account, learning.courses[0]!, 'ada');
    await using visit = await ui.visit(`/registrations/${id}`);
    const { page } = visit;
    await page.clock.install();
    await page.reload();
    await page.getByRole('button', { name: 'Create launch link' }).click();
    await page.getByText(/Mode: normal\. Expires/).waitFor();
    await page.clock.fastForward('09:00:00');
    await page.getByText(/Mode: normal\. Expired/).waitFor();
  });

  it('a score with more digits than one would type is kept when something else is saved', async () => {
    const { api } = ui.service;
    const account = await learning.accountWithCourses('Woodgrove');
    for (const score of [200 / 3, 1e-7]) {
      const id = await learning.register(account, learning.courses[0]!, `scored ${score}`);
      await api.put(`/registrations/${id}/status`, { completion: 'Incomplete', success: 'UNKNOWN', score });
      await using visit = await ui.visit(`/registrations/${id}`);
      const { page } = visit;
      await page.getByText('Completed', { exact: true }).click();
      await page.getByRole('button', { name: 'Save status' }).click();
      await page.getByText('The status was saved.').waitFor();
      const { body } = await api.get(`/registrations/${id}`);
      assert.deepEqual([body.completion, body.score], ['Completed', score]);
    }
  });

  it('a status is saved again, with what was typed in the meantime, even if it cannot be read', async () => {
    const { api } = ui.service;
    const account = await learning.accountWithCourses('Humongous');
    const id = await learning.register(account, learning.courses[0]!, 'joan');
    await using visit = await ui.visit(`/registrations/${id}`);
    const { page } = visit;
    const score = page.getByLabel('Score');
    const save = page.getByRole('button', { name: 'Save status' });
    await score.fill('50');
    await page.route(`**/registrations/${id}`, (route) => route.fulfill({ status: 503, json: {} }));
    const held = await holdRequests(page, `**/registrations/${id}/status`);
    await save.focus();
    await Promise.all([page.waitForRequest(`**/registrations/${id}/status`), page.keyboard.press('Enter')]);
    await save.and(page.locator(':focus')).waitFor();
    await score.fill('60');
    held.release();
    await page.getByText('The status was saved.').first().waitFor();
    assert.equal(await score.inputValue(), '60');
    await save.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' });
    await save.and(page.locator(':focus')).waitFor();
    assert.equal(await score.inputValue(), '60');
    assert.equal((await api.get(`/registrations/${id}`)).body.score, 60);
  });

  it('a status is saved although the learner opened the course in the meantime, since that leaves it as it was', async () => {
    const account = await learning.accountWithCourses('Litware');
    const id = await learning.register(account, learning.courses[0]!, 'mary');
    await using visit = await ui.visit(`/registrations/${id}`);
    const { page } = visit;
    await page.getByLabel('Score').fill('50');
    await (await startLaunch(ui.service, id)).open();
    await page.getByRole('button', { name: 'Save status' }).click();
    await page.getByText('The status was saved.').waitFor();
    const { body } = await ui.service.api.get(`/registrations/${id}`);
    assert.deepEqual([body.attempt, body.score], [1, 50]);
  });

  it('one dialog chooses account and course, with keyboard or mouse, and Escape closes only it', async () => {
    await learning.accountWithCourses('Lucerne');
    await learning.accountWithCourses('Wide World');
    await using visit = await ui.visit('/registrations?new=yes');
    const { page } = visit;
    const form = page.getByRole('dialog', { name: 'Register a learner' });
    const [account, course] = [fieldOf(page, 'Account'), fieldOf(page, 'Course or equivalent')];
    const choice = choiceDialog(page);
    const hasFocus = (field: Locator) =>
      until(() => field.evaluate((element) => element === document.activeElement), 'the field has the focus');
    await form.getByRole('button', { name: 'Register', exact: true }).click();
    const problem = form.getByText('Choose an account', { exact: true });
    await problem.waitFor();
    await hasFocus(account);
    const described = await account.getAttribute('aria-describedby');
    assert.ok(described?.split(' ').includes((await problem.getAttribute('id')) ?? 'none'), described ?? '');
    await page.keyboard.press('Enter');
    await choice.getByRole('button', { name: /^Lucerne/ }).waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await page.keyboard.press('Escape');
    await choice.waitFor({ state: 'detached' });
    await form.waitFor();
    await hasFocus(account);
    await page.keyboard.press('Enter');
    await hasFocus(choice.getByRole('searchbox', { name: 'Search accounts' }));
    await page.keyboard.type('lucerne');
    await choice.getByText('1–1 of 1').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await choice.waitFor({ state: 'detached' });
    await hasFocus(account);
    await account.getByText('Lucerne').waitFor();
    await problem.waitFor({ state: 'detached' });

    const clicks = await countClicks(page);
    await choose(page, 'Course or equivalent', 'Ladders');
    assert.equal(await clicks(), 2);
    await choose(page, 'Account', 'Wide World');
    await account.getByText('Wide World').waitFor();
    await course.getByText('Ladders').waitFor();
    await account.click();
    assert.equal(
      await choice.getByRole('button', { name: /^Wide World Selected now/ }).getAttribute('aria-current'),
      'true',
    );
    await choice.getByRole('button', { name: 'Cancel' }).click();
    await visit.assertAccessible();
  });

  it('the dialog offers content of the account, and registers for an equivalent in a bundle', async () => {
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
    const course = fieldOf(page, 'Course or equivalent');
    const choice = choiceDialog(page);
    await dialog.getByText('Choose an account first').waitFor();
    assert.equal(await course.isDisabled(), true);
    await choose(page, 'Account', 'Barren');
    await course.click();
    await choice.getByText('The account has no courses or equivalents').waitFor();
    await choice.getByRole('button', { name: 'Cancel' }).click();
    await choose(page, 'Account', 'Alpine');
    await course.click();
    await choice.getByRole('button', { name: /^Climbing Equivalent/ }).waitFor();
    await choice.getByRole('button', { name: /^Ladders Course/ }).waitFor();
    await choice.getByText('1–2 of 2').waitFor();
    await visit.assertAccessible();
    await choice.getByRole('button', { name: /^Climbing/ }).click();
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

  it('chosen content that another account does not have is marked as an error and not registered', async () => {
    const { api } = ui.service;
    const { id: account } = await api.create('/accounts', { name: 'Poor account' });
    await learning.accountWithCourses('Rich account');
    await using visit = await ui.visit('/registrations?new=yes');
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    await choose(page, 'Account', 'Rich account');
    await choose(page, 'Course or equivalent', 'Ladders');
    await dialog.getByLabel('Learner id').fill('moved-learner');
    await choose(page, 'Account', 'Poor account');
    const fault = dialog.getByText(
      `${isolate('Poor account')} does not have ${isolate('Ladders')}. Choose something that it has, or add it to the account first`,
    );
    await fault.waitFor();
    await dialog.getByText('Ladders', { exact: true }).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Register' }).click();
    await fault.waitFor();
    assert.deepEqual((await api.get('/registrations?learner_id=moved-learner')).body.data, []);

    await choose(page, 'Account', 'Rich account');
    await fault.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { level: 1, name: 'moved-learner' }).waitFor();
    assert.ok(account > 0);
  });

  it('registrations are found by the beginning of the learner’s id, or shown for one learner', async () => {
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
    await visit.go(`/registrations/${first}`);
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

  it('a form asks before its input is lost, and a rejected launch shows the reason', async () => {
    const id = await learning.accountWithCourses('Tailspin');
    const registration = await learning.register(id, learning.courses[0]!, 'linus');
    await using visit = await ui.visit(`/registrations/${registration}`);
    const { page } = visit;
    await page.getByLabel('Score').fill('50');
    await page.getByRole('link', { name: 'Registrations' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    assert.equal(await page.getByLabel('Score').inputValue(), '50');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await hasValue(page.getByLabel('Score'), '');
    await ui.service.api.put(`/accounts/${id}`, { name: 'Tailspin', enabled: false });
    await page.getByRole('button', { name: 'Create launch link' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /account/i })
      .waitFor();
  });

  it('registrations are filtered by account, course, status and learner; the address keeps the filters, and may be of a page behind the last one', async () => {
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
    await visit.go('/registrations?page=20700&search=nobody');
    await page.getByText('Nothing matches your search and filters.').waitFor();
    assert.equal(await page.getByText('The request was rejected').count(), 0);
    await page.goBack();
    await page.getByRole('link', { name: 'edsger' }).waitFor();
    await hasValue(page.getByRole('searchbox'), '');
    await page.goBack();
    await page.getByText('Nothing matches your search and filters.').waitFor();
    await hasValue(page.getByRole('searchbox'), 'nobody');
    await visit.go(`/accounts/${one}?tab=registrations&page=20700&search=nobody`);
    await page.getByText('Nothing matches your search and filters.').waitFor();
    assert.equal(await page.getByText('The request was rejected').count(), 0);
  });
});
