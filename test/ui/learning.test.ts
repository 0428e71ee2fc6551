import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importCourse, uploadForm } from '../content/packages.ts';
import { Unit } from '../player/cmi5-helpers.ts';
import { Player } from '../player/learner-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { zipOf } from '../support/course-packages.ts';
import { runSql } from '../support/database.ts';
import { followLink, startLaunch } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { until } from '../support/until.ts';
import { failUntilClick } from './support/fail-until-click.ts';
import { newLearner } from './support/learner.ts';
import { PHONE, startUi, type Ui } from './support/ui.ts';

describe('the learning record in the admin UI', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  it('is on the page of the registration: units, answers, raw data; a reset starts over', async () => {
    const { registrationId } = await registerTo(ui.service, scorm2004Course());
    await using visit = await ui.visit(`/registrations/${registrationId}`);
    const { page } = visit;
    const units = page.getByRole('region', { name: 'Units' });
    const history = page.getByRole('region', { name: 'History' });
    await units.getByText('The learner has not opened the course yet.').waitFor();
    await history.getByText('No reports yet.').waitFor();
    await visit.assertAccessible();
    {
      await using learner = await newLearner(ui.browser);
      await learner.open(ui.service, registrationId);
      await learner.course.locator('#pass').click();
      await learner.saved();
    }
    await units.getByText('In attempt 1.').waitFor();
    await units.getByRole('row').filter({ hasText: 'Passed' }).filter({ hasText: '0:01:30' }).waitFor();
    assert.equal(await page.getByRole('region', { name: 'Statements' }).count(), 0, 'SCORM has none');
    const answers = history.getByRole('list', { name: /^Answers in/ });
    await answers.getByText('q1').waitFor();
    await answers.getByText('Correct', { exact: true }).waitFor();
    const events = history.getByRole('list', { name: 'What happened in attempt 1' });
    await events.getByText('Attempt started').waitFor();
    await events.getByText(/^Completed/).waitFor();
    await history.getByText('Raw data').first().click();
    await history.getByText('"completion_status": "completed"').waitFor();
    await visit.assertAccessible();

    await page.getByRole('button', { name: 'Actions for this registration' }).click();
    await page.getByRole('menuitem', { name: 'Reset…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset registration' }).click();
    await page.getByText('The registration was reset.').waitFor();
    await events.getByText('Registration reset').waitFor();
    const { body } = await ui.service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual([body.completion, body.success, body.score], ['Unknown', 'UNKNOWN', null]);
  });

  it('shows the latest attempt first, and earlier ones on request if attempts have much data', async () => {
    const { registrationId } = await registerTo(ui.service, scorm12Course());
    for (const attempt of [1, 2]) {
      const client = await startLaunch(ui.service, registrationId);
      await client.open();
      await client.openUnit('i1');
      await client.commit('i1', { suspend_data: `${attempt}${'x'.repeat(700_000)}` });
      if (attempt === 1) await ui.service.api.post(`/registrations/${registrationId}/reset`);
    }
    await using visit = await ui.visit(`/registrations/${registrationId}`);
    const history = visit.page.getByRole('region', { name: 'History' });
    const attemptOf = (n: number) => history.locator('details', { hasText: `Attempt ${n}Version` });
    await attemptOf(2).getByRole('heading', { name: 'Lesson 1' }).waitFor();
    await attemptOf(1).getByText('Attempt 1').click();
    assert.equal(await attemptOf(1).getByRole('heading').count(), 0);
    await visit.assertAccessible();
    await history.getByRole('button', { name: 'Show earlier reports' }).click();
    await attemptOf(1).getByRole('heading', { name: 'Lesson 1' }).waitFor();
    await history.getByRole('button', { name: 'Show earlier reports' }).waitFor({ state: 'detached' });
  });

  it('keeps an attempt open that someone reads while the learner starts another', async () => {
    const { registrationId } = await registerTo(ui.service, scorm12Course());
    const attempt = async () => {
      const client = await startLaunch(ui.service, registrationId);
      await client.open();
      await client.openUnit('i1');
    };
    await attempt();
    await using visit = await ui.visit(`/registrations/${registrationId}`);
    const events = (n: number) =>
      visit.page.getByRole('list', { name: `What happened in attempt ${n}`, exact: true });
    await events(1).waitFor();
    await ui.service.api.post(`/registrations/${registrationId}/reset`);
    await attempt();
    await events(2).waitFor();
    assert.ok(await events(1).isVisible());
  });

  it('lists what happened once although units have the same title', async () => {
    const unit = (id: string, title: string) =>
      `<item identifier="${id}" identifierref="r1"><title>${title}</title></item>`;
    const items = [unit('i1', 'Introduction'), unit('i2', 'Quiz'), unit('i3', 'Quiz')].join('');
    const { registrationId } = await registerTo(ui.service, scorm12Course({ items }));
    const client = await startLaunch(ui.service, registrationId);
    await client.open();
    const report = async (id: string, location: string) => {
      await client.openUnit(id);
      await client.commit(id, { core: { lesson_location: location } });
    };
    for (const location of ['one', 'two']) await report('i1', location);
    for (const id of ['i2', 'i3']) await report(id, 'one');
    await using visit = await ui.visit(`/registrations/${registrationId}`);
    const { page } = visit;
    const events = page.getByRole('list', { name: 'What happened in attempt 1' }).getByRole('listitem');
    await events.filter({ hasText: 'Quiz' }).nth(1).waitFor();
    const before = await events.allInnerTexts();
    await report('i1', 'three');
    await until(async () => {
      const now = await events.allInnerTexts();
      return now.at(-1) !== before.at(-1);
    }, 'the last event is another one');
    assert.equal(await events.count(), before.length);
  });

  it('has a launch language that can be changed until the learner opens the course, and again after a reset', async () => {
    const { api } = ui.service;
    const listed = [];
    for (const language of ['en', 'de', 'fr'])
      listed.push({ language, course_id: (await importCourse(ui.service, { name: `In ${language}` })).id });
    const { id: equivalentId } = await api.create('/equivalents', { name: 'First aid', courses: listed });
    const { id: accountId } = await api.create('/accounts', { name: 'Contoso' });
    const contents = [{ type: 'EQUIVALENT', id: equivalentId }];
    await api.post(`/accounts/${accountId}/content`, { contents });
    const body = { account_id: accountId, equivalent_id: equivalentId, learner_id: 'grace' };
    const { registration_id: id } = await api.create('/registrations', body);
    await using visit = await ui.visit(`/registrations/${id}`);
    const { page } = visit;
    const panel = page.getByRole('region', { name: 'Launch link' });
    const language = panel.getByLabel('Language');
    const link = panel.getByLabel('Launch link', { exact: true }).and(page.getByRole('textbox'));
    const launchIn = async (name: string) => {
      await language.selectOption(name);
      await panel.getByRole('button', { name: 'Create launch link' }).click();
      await panel.getByText(`Language: ${name}.`).waitFor();
      return await link.inputValue();
    };
    await launchIn('English');
    await (await followLink(await launchIn('German'))).open();
    await language.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for this registration' }).click();
    await page.getByRole('menuitem', { name: 'Reset…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset registration' }).click();
    await launchIn('English');
    await (await followLink(await launchIn('French'))).open();
    await language.waitFor({ state: 'detached' });
    assert.equal((await api.get(`/registrations/${id}`)).body.language, 'fr');
  });

  it('shows the equivalent it was registered for, and the language and course once they are chosen', async () => {
    const { api } = ui.service;
    const listed = [];
    for (const language of ['en', 'de']) {
      const form = uploadForm(new Uint8Array(await zipOf(scorm12Course({ title: `Fire in ${language}` }))));
      listed.push({ language, course_id: (await api.create('/courses', form)).id });
    }
    const { id: equivalentId } = await api.create('/equivalents', { name: 'Fire safety', courses: listed });
    const { id: accountId } = await api.create('/accounts', { name: 'Fabrikam' });
    await api.post(`/accounts/${accountId}/content`, {
      contents: [{ type: 'EQUIVALENT', id: equivalentId }],
    });
    const { registration_id: registrationId } = await api.create('/registrations', {
      account_id: accountId,
      equivalent_id: equivalentId,
      learner_id: 'ada',
    });
    await using visit = await ui.visit(`/registrations/${registrationId}`);
    const { page } = visit;
    const facts = page.getByRole('region', { name: 'About this registration' });
    const fact = (name: string) =>
      facts.locator('div', { has: page.locator('dt').getByText(name, { exact: true }) }).last();
    await fact('Equivalent').getByRole('link', { name: 'Fire safety' }).waitFor();
    await fact('Language').getByText('Not chosen yet').waitFor();
    assert.equal(await page.getByText('Fire in en').count(), 0, 'no course is shown that may not be the one');
    await visit.assertAccessible();
    await using list = await ui.visit(`/registrations?account_id=${accountId}`);
    const row = list.page.getByRole('row', { name: /ada/ });
    await row.getByText('Fire safety').waitFor();
    await row.getByText('Language not chosen yet').waitFor();
    await list.assertAccessible();
    await using start = await ui.visit('/');
    const entry = start.page
      .getByRole('region', { name: 'Recent learning' })
      .getByRole('listitem')
      .filter({ has: start.page.locator(`a[href$="/${registrationId}"]`) });
    await entry.getByRole('link', { name: 'Fire safety' }).waitFor();
    assert.equal(await entry.getByText('Fire in en').count(), 0);
    const panel = page.getByRole('region', { name: 'Launch link' });
    await panel.getByLabel('Language').selectOption('English');
    await panel.getByRole('button', { name: 'Create launch link' }).click();
    await panel.getByText('Anyone with this link').waitFor();
    await fact('Language').getByText('English (en)').waitFor();
    // It can be changed until the learner opens the course.
    await panel.getByLabel('Language').selectOption('German');
    await panel.getByRole('button', { name: 'Create launch link' }).click();
    await panel.getByText('Language: German.').waitFor();
    await visit.assertAccessible();
    await fact('Language').getByText('German (de)').waitFor();
    await fact('Course').getByRole('link', { name: 'Fire in de' }).waitFor();
    await list.page.reload();
    await row.getByText(/German · .*Fire in de/).waitFor();
    await page.getByRole('region', { name: 'Units' }).waitFor();
    await fact('Equivalent').getByRole('link').click();
    await visit.arrived(`/content/equivalents/${equivalentId}`);
    const late = { account_id: accountId, equivalent_id: equivalentId, learner_id: 'late' };
    await api.create('/registrations', late);
    await api.delete(`/accounts/${accountId}/content/EQUIVALENT/${equivalentId}`);
    await page.reload();
    await page
      .getByRole('region', { name: 'Used by' })
      .getByRole('link', { name: '2 registrations' })
      .waitFor();
    await page.getByRole('button', { name: 'Equivalent actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Learners are registered for it. Delete their registrations first:').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Delete equivalent' }).count(), 0);
    await visit.assertAccessible();
    await dialog.getByRole('link', { name: '2 registrations' }).click();
    await visit.arrived(`/registrations?equivalent_id=${equivalentId}`);
    await page.getByRole('row', { name: /ada/ }).waitFor();
    assert.equal(await page.getByRole('row', { name: /Fire safety/ }).count(), 2);
    assert.equal(await page.getByRole('combobox', { name: 'Equivalent' }).inputValue(), 'Fire safety');
    await visit.assertAccessible();
    for (const rows of ['equivalent_courses where equivalent_id', 'equivalents where id']) {
      await runSql(ui.service.settings.data_dir, `delete from ${rows} = ?`, equivalentId);
    }
    await start.page.reload();
    // An earlier release would have deleted it. Its first course is played from then on.
    await start.page
      .getByRole('region', { name: 'Recent learning' })
      .getByRole('listitem')
      .filter({ hasText: /^late, Fire in en/ })
      .waitFor();
  });

  it('shows the statements of a cmi5 course as sentences, page by page', async () => {
    const unitId = 'https://example.com/course/one';
    const { registrationId } = await registerTo(ui.service, cmi5Course([{ id: unitId }]));
    await using visit = await ui.visit(`/registrations/${registrationId}`);
    const { page } = visit;
    const panel = page.getByRole('region', { name: 'Statements' });
    await panel.getByText('No statements.').waitFor();
    const player = await Player.open(ui.service, registrationId);
    const unit = await Unit.start(await player.openUnit(unitId));
    const { context } = unit.statement('read') as { context: { contextActivities: object } };
    // Without the category of cmi5, a statement may have any verb.
    const free = { ...context, contextActivities: unit.launchData.contextTemplate.contextActivities };
    const read = Array.from({ length: 60 }, (_, index) => ({
      ...unit.statement(`read-page-${index + 1}`),
      context: free,
    }));
    assert.deepEqual(await unit.send(unit.initialized(), ...read, unit.passed(0.85)), Array(62).fill(200));

    let failures = 0;
    await page.route('**/registrations/*/statements?**', async (route) => {
      failures += 1;
      await route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{}' });
    });
    await page.reload();
    const retry = panel.getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    assert.notEqual(failures, 0);
    await visit.assertAccessible();
    await page.evaluate(failUntilClick('/statements?'));
    await page.unroute('**/registrations/*/statements?**');
    await retry.click();

    const items = panel.getByRole('list', { name: 'Statements' }).getByRole('listitem');
    const more = panel.getByRole('button', { name: 'Show more' });
    await more.waitFor();
    assert.equal(await items.count(), 25);
    await visit.assertAccessible();
    // Every request fails: as soon as one succeeds, the page repeats those that failed, and the error disappears.
    await page.route('**/*', (route) => route.abort());
    await more.click();
    await panel.getByRole('alert').waitFor();
    assert.equal(await items.count(), 25, 'what was there stays');
    // The page notices that the service responds again while more is being read, and repeats only what failed.
    await page.route('**/statements?*cursor=*', async (route) => {
      await page.getByText('What you see may be out of date').waitFor({ state: 'detached' });
      await route.continue();
    });
    await page.unroute('**/*');
    await more.click();
    await items.nth(49).waitFor();
    await page.unroute('**/statements?*cursor=*');
    await items.nth(25).locator('summary:focus').waitFor();
    await more.click();
    await panel.getByText(/passed .*with 85 %, successfully$/).waitFor();
    assert.equal(await more.count(), 0, 'there are no more');
    const texts = await items.locator('summary').allTextContents();
    const pages = texts.flatMap((text) => /read-page-(\d+)/.exec(text)?.[1] ?? []).map(Number);
    assert.deepEqual(
      pages,
      read.map((_, index) => index + 1),
    );
    await panel.getByText(/passed .*with 85 %/).click();
    await panel.getByText('"scaled": 0.85').waitFor();
    await visit.assertAccessible();
    await page.setViewportSize(PHONE);
    await visit.assertNoSidewaysScrolling();
  });

  it('a unit of a cmi5 course is waived with a reason, and a unit of another standard is not offered', async () => {
    const units = ['one', 'two'].map((name) => ({
      id: `https://example.com/course/${name}`,
      moveOn: 'Passed' as const,
    }));
    const { registrationId } = await registerTo(ui.service, cmi5Course(units));
    const other = await registerTo(ui.service, scorm12Course());
    await using visit = await ui.visit(`/registrations/${registrationId}`);
    const { page } = visit;
    const panel = page.getByRole('region', { name: 'Units' });
    await panel
      .getByRole('button', { name: /^Waive/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: /^Waive/ });
    await dialog.getByText('It counts as completed and passed.').waitFor();
    await dialog.getByRole('combobox', { name: 'Reason' }).click();
    await page.getByRole('option', { name: 'Passed a test elsewhere' }).click();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Waive unit' }).click();
    await panel.getByText('Waived', { exact: true }).waitFor();
    assert.equal(await panel.getByRole('button', { name: /^Waive/ }).count(), 1);
    const statements = (await ui.service.api.get(`/registrations/${registrationId}/statements`)).body.data;
    assert.match(JSON.stringify(statements), /Tested Out/);
    await visit.assertAccessible();

    await page.goto(`${ui.service.url}/ui/registrations/${other.registrationId}`);
    await panel.getByRole('row').nth(1).waitFor();
    assert.equal(await panel.getByRole('button', { name: /^Waive/ }).count(), 0);
  });

  it('fits on a phone, and is shown to viewers without the actions', async () => {
    const { registrationId } = await registerTo(ui.service, scorm2004Course());
    {
      await using learner = await newLearner(ui.browser);
      await learner.open(ui.service, registrationId);
      await learner.course.locator('#fail').click();
      await learner.saved();
    }
    await using visit = await ui.visit(`/registrations/${registrationId}`, { as: 'viewer', phone: true });
    const { page } = visit;
    await page.getByText('Raw data').first().click();
    await page.getByText('"completion_status": "completed"').waitFor();
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
    assert.equal(await page.getByRole('button', { name: 'Actions for this registration' }).count(), 0);
  });

  it('is not written by a preview, which an administrator opens from a version', async () => {
    const { courseId } = await registerTo(ui.service, scorm12Course());
    const next = uploadForm(new Uint8Array(await zipOf(scorm12Course({ title: 'Next' }))));
    await ui.service.api.create(`/courses/${courseId}/versions`, next);
    await using visit = await ui.visit(`/content/courses/${courseId}`);
    const { page } = visit;
    const opened = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Preview version 1' }).click();
    const preview = await opened;
    await preview.getByText('Preview: nothing is recorded.').waitFor();
    assert.equal(await preview.evaluate(() => window.opener), null);
    await preview.close();
    await visit.assertAccessible();
  });
});
