import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { CMI5_PAGE, cmi5Course } from '../support/cmi5-course.ts';
import type { PackageFiles } from '../support/course-packages.ts';
import { lessons, scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { onlyFirst } from './support/first-request.ts';
import { nextFrames } from './support/frames.ts';
import { failed, holdRequests } from './support/held-requests.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const OVERDUE_MS = 5_000;
/** Before a request that gets no response has failed, which takes 20 seconds, of which the clock has passed five. */
const SOON_MS = 14_000;
const UNSAVED = 'Your work is not saved yet';

describe('a connection that loses every packet', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  /** Opens a course in a page whose clock the test sets forward. */
  const openWithClock = async (learner: Learner, files: PackageFiles, mode = 'normal') => {
    const { registrationId } = await registerTo(service, files);
    await learner.page.clock.install();
    const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode });
    await learner.page.goto(body.launch_url);
    await learner.course.locator('body').waitFor();
    await learner.page.locator('.notice').waitFor({ state: 'attached' });
    return registrationId;
  };
  /** From now on, requests get no response until they `arrive`. */
  const lose = async ({ page }: Learner, paths = ['commit', 'units', 'unit', 'xapi/.*']) => {
    const lost = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await page.route(new RegExp(`/(${paths.join('|')})(\\?.*)?$`), async (route) => {
      lost.resolve();
      await arrived.promise;
      await route.continue();
    });
    return { isLost: lost.promise, arrive: arrived.resolve };
  };
  const click = ({ page }: Learner, name: string | RegExp) => page.getByRole('button', { name }).click();
  const heading = ({ page }: Learner, name: string) => page.getByRole('heading', { name });
  /** Waits until this is shown, or what follows it a few seconds later, which on a busy machine may be there first. */
  const isShown = (learner: Learner, name: string, next = UNSAVED) =>
    heading(learner, name).or(heading(learner, next)).waitFor();
  const passes = async (learner: Learner) => {
    await learner.calls(
      ['LMSSetValue', 'cmi.core.score.raw', '90'],
      ['LMSSetValue', 'cmi.core.lesson_status', 'passed'],
      ['LMSCommit', ''],
    );
    await learner.saved();
  };
  const pass = async (learner: Learner, time: number) => {
    await learner.page.clock.fastForward(time);
    await nextFrames(learner.page);
  };
  const successOf = async (registrationId: string) =>
    (await service.api.get(`/registrations/${registrationId}`)).body.success;

  it('shows after a few seconds that the work of a learner who exits is not saved, until it is', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await openWithClock(learner, scorm12Course());
    await learner.given();
    const { isLost, arrive } = await lose(learner);
    await learner.passesAtTheEnd();
    await click(learner, 'Exit');
    await isLost;
    await isShown(learner, 'The course is closing …');
    await pass(learner, OVERDUE_MS);
    await heading(learner, UNSAVED).waitFor({ timeout: SOON_MS });
    await learner.page.getByText('Your work is also kept in this browser.').waitFor();
    const kept = await learner.page.evaluate(() => Object.values(localStorage).join());
    assert.match(kept, /"isPromised":true/, 'the next page says it if the promise is broken');
    arrive();
    await heading(learner, 'You have finished this course').waitFor();
    assert.equal(await successOf(registrationId), 'PASS');
    assert.equal(await learner.page.evaluate(() => localStorage.length), 0);
  });

  it('shows that to a learner who opens another unit, too, and then opens it', async () => {
    await using learner = await newLearner(browser);
    await openWithClock(learner, scorm12Course({ items: lessons(2) }));
    await learner.given();
    const { isLost, arrive } = await lose(learner);
    await click(learner, /^Lesson 2/);
    await isLost;
    await isShown(learner, 'The course is loading …');
    await pass(learner, OVERDUE_MS);
    await heading(learner, UNSAVED).waitFor({ timeout: SOON_MS });
    arrive();
    await learner.given();
    await learner.page.locator('nav [aria-current]', { hasText: 'Lesson 2' }).waitFor();
    assert.equal(await heading(learner, UNSAVED).count(), 0);
  });

  it('shows it for a unit that calls the service itself, before and after the unit is closed', async () => {
    await using learner = await newLearner(browser);
    const course = { ...cmi5Course([{ id: 'https://example.com/one' }]), 'start.html': CMI5_PAGE };
    await openWithClock(learner, course);
    await learner.course.getByText('Normal').waitFor();
    const { isLost } = await lose(learner);
    await learner.course.locator('body').evaluate(() => {
      const { searchParams } = new URL(location.href);
      void fetch(`${searchParams.get('endpoint')}statements`, { method: 'POST', body: '{}' });
    });
    await isLost;
    await click(learner, 'Exit');
    await nextFrames(learner.page);
    await pass(learner, OVERDUE_MS);
    await learner.page.locator('.notice').getByText(`${UNSAVED}. The service does not respond.`).waitFor();
    await learner.course.getByText('Normal').waitFor();
    // The clock stops there, because a busy machine would take as long as the page waits.
    await learner.page.clock.pauseAt((await learner.page.evaluate(() => Date.now())) + 20_000);
    await heading(learner, 'The course is closing …').waitFor();
    assert.equal(await learner.page.getByText(UNSAVED).count(), 0, 'the requests have failed');
    await learner.page.clock.resume();
    await pass(learner, OVERDUE_MS);
    await heading(learner, UNSAVED).waitFor({ timeout: SOON_MS });
    await learner.page.getByText('you may lose your latest work').waitFor();
    await pass(learner, 20_000);
    await heading(learner, 'Your last work may not be saved').waitFor();
  });

  it('says soon that nothing is lost if the service has received all reports of such a unit, and then the result', async () => {
    await using learner = await newLearner(browser);
    const course = { ...cmi5Course([{ id: 'https://example.com/one' }]), 'start.html': CMI5_PAGE };
    await openWithClock(learner, course);
    await learner.course.getByText('Normal').waitFor();
    const { isLost, arrive } = await lose(learner);
    await click(learner, 'Exit');
    await isLost;
    await pass(learner, OVERDUE_MS);
    await heading(learner, 'Your work is saved').waitFor({ timeout: SOON_MS });
    arrive();
    await heading(learner, 'You have not finished this course yet').waitFor();
  });

  it('does not say for good that a learner has not finished the course whose result arrives late', async () => {
    await using learner = await newLearner(browser);
    await openWithClock(learner, scorm12Course());
    await learner.given();
    const { isLost, arrive } = await lose(learner, ['units']);
    await learner.passesAtTheEnd();
    await click(learner, 'Exit');
    await isLost;
    await pass(learner, OVERDUE_MS);
    await heading(learner, 'You have not finished this course yet').waitFor({ timeout: SOON_MS });
    arrive();
    await heading(learner, 'You have finished this course').waitFor();
    assert.equal(await learner.page.locator('h2:focus').count(), 1, 'the focus stays');
    assert.equal(await learner.page.getByText('Passed', { exact: true }).count(), 1);
  });

  it('shows the result of a learner who exits even if the service fails to respond once', async () => {
    await using learner = await newLearner(browser);
    const { registrationId } = await registerTo(service, scorm12Course());
    await learner.open(service, registrationId);
    await learner.given();
    await passes(learner);
    await learner.page.route('**/units', onlyFirst(failed));
    const response = learner.page.waitForResponse('**/units');
    await click(learner, 'Exit');
    assert.equal((await response).status(), 500);
    await heading(learner, 'You have finished this course').waitFor();
  });

  it('shows the result of a learner who exits even if the service fails after a long time', async () => {
    await using learner = await newLearner(browser);
    const { registrationId } = await registerTo(service, scorm12Course());
    await learner.page.clock.install();
    await learner.open(service, registrationId);
    await learner.given();
    await passes(learner);
    const held = await holdRequests(learner.page, '**/units', { respond: onlyFirst(failed) });
    await click(learner, 'Exit');
    await held.begun;
    await pass(learner, OVERDUE_MS);
    await heading(learner, 'You have not finished this course yet').waitFor({ timeout: SOON_MS });
    held.release();
    await heading(learner, 'You have finished this course').waitFor();
  });

  it('does not leave a learner who exits while the script of a unit gets no response', async () => {
    await using learner = await newLearner(browser);
    const { registrationId } = await registerTo(service, scorm12Course());
    await learner.page.clock.install();
    await learner.page.route('**/assets/scorm12-*', () => {});
    const asked = learner.page.waitForRequest('**/assets/scorm12-*');
    await learner.open(service, registrationId);
    await asked;
    await click(learner, 'Exit');
    await heading(learner, 'You have not finished this course yet').waitFor({ timeout: SOON_MS });
  });

  it('does not leave a learner who exits while a unit is being opened without a response', async () => {
    await using learner = await newLearner(browser);
    await openWithClock(learner, scorm12Course({ items: lessons(2) }));
    await learner.given();
    await learner.page.route('**/unit', () => {});
    const opening = learner.page.waitForRequest('**/unit');
    await click(learner, /^Lesson 2/);
    await opening;
    const { isLost } = await lose(learner, ['units']);
    await click(learner, 'Exit');
    await isLost;
    await isShown(learner, 'The course is closing …', 'You have not finished this course yet');
    await pass(learner, OVERDUE_MS);
    await heading(learner, 'You have not finished this course yet').waitFor({ timeout: SOON_MS });
  });

  it('does not keep a learner who exits when there is nothing to save', async () => {
    await using learner = await newLearner(browser);
    await openWithClock(learner, scorm12Course(), 'browse');
    await learner.given();
    const { isLost } = await lose(learner);
    await click(learner, 'Exit');
    await isLost;
    await pass(learner, OVERDUE_MS);
    await heading(learner, 'You have left the course').waitFor({ timeout: SOON_MS });
  });
});

describe('a learner who opens another unit while the connection is lost', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });
  const lesson = ({ page }: Learner, number: number) =>
    page.locator('nav [aria-current]', { hasText: `Lesson ${number}` });
  const open = async (learner: Learner) => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(2) }));
    await learner.open(service, registrationId);
    await learner.given();
    await learner.page.route('**/commit', (route) => route.abort());
  };

  it('stays in the unit if the page knows it already, until the work is saved', async () => {
    await using learner = await newLearner(browser);
    await open(learner);
    await learner.calls(['LMSSetValue', 'cmi.core.lesson_location', '5'], ['LMSCommit', '']);
    const notice = learner.page.locator('.notice');
    await notice.getByText('You can open another unit once it is saved.').waitFor();
    const tried = learner.page.waitForRequest('**/commit');
    await learner.page.getByRole('button', { name: /^Lesson 2/ }).click();
    await tried;
    await lesson(learner, 1).waitFor();
    await learner.calls(['LMSSetValue', 'cmi.core.lesson_location', '6']);
    await learner.page.unroute('**/commit');
    await learner.page.getByRole('button', { name: /^Lesson 2/ }).click();
    await learner.saved();
    await learner.page.getByRole('button', { name: /^Lesson 2/ }).click();
    await lesson(learner, 2).waitFor();
    await learner.given();
  });

  it('gets a card that tries again, and then the unit, if the page finds out while the unit closes', async () => {
    await using learner = await newLearner(browser);
    await open(learner);
    await learner.page.getByRole('button', { name: /^Lesson 2/ }).click();
    await learner.page.getByRole('heading', { name: UNSAVED }).waitFor();
    await learner.page.getByText('The course continues once your work is saved.').waitFor();
    assert.equal(await learner.page.locator('iframe').count(), 0, 'no blank frame');
    assert.equal(
      await learner.page.getByText('The service cannot be reached').count(),
      1,
      'only the card says it',
    );
    await learner.page.unroute('**/commit');
    await learner.page.getByRole('button', { name: 'Try again' }).click();
    await lesson(learner, 2).waitFor();
    await learner.given();
  });
});
