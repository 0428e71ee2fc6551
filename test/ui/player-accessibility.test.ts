import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { uploadForm } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { zipOf } from '../support/course-packages.ts';
import { lessons, scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { boxOf } from './support/boxes.ts';
import { nextFrames } from './support/frames.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

describe('the player page', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  const registerScorm = async (units: number) =>
    (await registerTo(service, scorm12Course({ items: lessons(units) }))).registrationId;
  const exit = ({ page }: Learner) => page.getByRole('button', { name: 'Exit' }).click();
  const save = (learner: Learner) =>
    learner.calls(['LMSSetValue', 'cmi.core.lesson_location', '5'], ['LMSCommit', '']);

  it('has its live regions before they have a message, because screen readers announce only changes', async () => {
    const registrationId = await registerScorm(1);
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const notice = learner.page.locator('.notice');
    const [alert, status] = [notice.getByRole('alert'), notice.getByRole('status')];
    assert.deepEqual(await Promise.all([alert.count(), status.count()]), [1, 1]);
    const handles = await Promise.all([alert.elementHandle(), status.elementHandle()]);
    await learner.page.route('**/commit', (route) => route.abort());
    await save(learner);
    await notice.getByText('The service cannot be reached').waitFor();
    assert.match((await handles[0]!.textContent()) ?? '', /service cannot be reached/);
    assert.equal(await handles[1]!.textContent(), '');
    await learner.page.unroute('**/commit');
    await learner.page.evaluate(() => dispatchEvent(new Event('online')));
    await notice.getByText('The service cannot be reached').waitFor({ state: 'hidden' });
    await learner.course.locator('#suspend').click();
    await notice.getByText('The course has ended').waitFor();
    assert.match((await handles[1]!.textContent()) ?? '', /course has ended/);
    assert.equal(await handles[0]!.textContent(), '');
  });

  it('announces a lost connection once, however often it tries to save', async () => {
    const registrationId = await registerScorm(1);
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    let failures = 0;
    learner.page.on('requestfailed', (request) => {
      if (request.url().endsWith('/commit')) failures += 1;
    });
    let tries = 0;
    await learner.page.route('**/commit', async (route) => {
      tries += 1;
      await route.abort();
    });
    await save(learner);
    const notice = learner.page.locator('.notice');
    await notice.getByText('The service cannot be reached').waitFor();
    const changes = await notice.evaluateHandle((element) => {
      const seen: MutationRecord[] = [];
      new MutationObserver((records) => seen.push(...records)).observe(element, {
        subtree: true,
        childList: true,
        characterData: true,
      });
      return seen;
    });
    const before = tries;
    await learner.page.evaluate(() => dispatchEvent(new Event('online')));
    await until(() => failures > before, 'another try has failed');
    await nextFrames(learner.page);
    assert.equal(await changes.evaluate((seen) => seen.length), 0);
  });

  it('announces that work is saved after it was not, but not each save of a course', async () => {
    const registrationId = await registerScorm(1);
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const isAnnounced = async () =>
      (await learner.page.locator('.saving').getAttribute('aria-live')) !== 'off';
    await save(learner);
    await learner.saved();
    assert.equal(await isAnnounced(), false);
    await learner.page.route('**/commit', (route) => route.abort());
    await learner.calls(['LMSSetValue', 'cmi.core.lesson_location', '6'], ['LMSCommit', '']);
    await learner.page.locator('.saving', { hasText: 'Not saved yet' }).waitFor();
    await learner.page.unroute('**/commit');
    await learner.page.evaluate(() => dispatchEvent(new Event('online')));
    await learner.page.locator('.saving').getByText('Saved', { exact: true }).waitFor();
    assert.equal(await isAnnounced(), true);
  });

  it('prints the course in the width of the paper, and all of a long record', async () => {
    const registrationId = await registerScorm(100);
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.page.emulateMedia({ media: 'print' });
    const frame = await boxOf(learner.page.locator('iframe'));
    assert.deepEqual([frame.width, frame.height], [1_280, 720]);
    await learner.page.emulateMedia({ media: null });
    await exit(learner);
    await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
    const { height } = await boxOf(learner.page.locator('.card'));
    const pdf = (await learner.page.pdf({ format: 'A4' })).toString('latin1');
    const pages = pdf.match(/\/Type \/Page\b/g)?.length ?? 0;
    assert.ok(pages >= Math.floor(height / 1_123), `${pages} pages for ${height} px`);
    await learner.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const colour = await learner.page.locator('h1').evaluate((name) => getComputedStyle(name).color);
    assert.equal(colour, 'rgb(27, 31, 36)', 'paper is white');
  });

  it('marks the open unit with more than a colour, because some learners choose the colours', async () => {
    const registrationId = await registerScorm(2);
    await using learner = await newLearner(browser);
    await learner.page.emulateMedia({ forcedColors: 'active' });
    await learner.open(service, registrationId);
    await learner.given();
    const weights = await learner.page
      .locator('nav li button')
      .evaluateAll((entries) => entries.map((each) => Number(getComputedStyle(each).fontWeight)));
    assert.deepEqual(weights, [600, 400]);
  });

  it('shows titles in the direction and the language of the course', async () => {
    const course = scorm12Course({ title: 'السلامة (2026)', items: lessons(2, 'الدرس') });
    const { api } = service;
    const { id } = await api.create('/courses', uploadForm(new Uint8Array(await zipOf(course))));
    const courses = [{ course_id: id, language: 'ar' }];
    const { id: equivalentId } = await api.create('/equivalents', { name: 'Safety', courses });
    const { id: accountId } = await api.create('/accounts', { name: 'Northwind' });
    const contents = [{ type: 'EQUIVALENT', id: equivalentId }];
    await api.post(`/accounts/${accountId}/content`, { contents });
    const { registration_id: registrationId } = await api.create('/registrations', {
      account_id: accountId,
      equivalent_id: equivalentId,
      learner_id: 'ann@example.com',
    });
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const looks = (selector: string) =>
      learner.page
        .locator(selector)
        .evaluateAll((found) =>
          found.map((each) => [
            getComputedStyle(each).direction,
            each.closest('[lang]')?.getAttribute('lang'),
          ]),
        );
    const arabic = ['rtl', 'ar'];
    assert.deepEqual(await looks('h1'), [arabic]);
    assert.deepEqual(await looks('nav li button > :first-child'), [arabic, arabic]);
    assert.deepEqual(await looks('nav li small'), [
      ['ltr', 'en'],
      ['ltr', 'en'],
    ]);
    await exit(learner);
    await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
    assert.deepEqual(await looks('h1'), [arabic]);
    assert.deepEqual(await looks('.record li > :first-child'), [arabic, arabic]);
  });
});
