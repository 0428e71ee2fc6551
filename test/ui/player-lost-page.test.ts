import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { MINUTE_MS } from '../../src/time/units.ts';
import { aroundTests } from '../support/around-tests.ts';
import { CMI5_PAGE, cmi5Course } from '../support/cmi5-course.ts';
import { lessons, scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { nextFrames } from './support/frames.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const COURSE_FILES = '**/content/**';
const OTHER_SITE = 'https://courses.example/';

const failed = ({ page }: Learner) => page.getByRole('heading', { name: 'The course could not be opened' });
const click = ({ page }: Learner, name: string | RegExp) => page.getByRole('button', { name }).click();
const LIMITED =
  '<item identifier="i1" identifierref="r1"><title>Lesson 1</title>' +
  '<adlcp:maxtimeallowed>00:30:00</adlcp:maxtimeallowed><adlcp:timelimitaction>exit,message</adlcp:timelimitaction></item>';

describe('a course whose page cannot be loaded, because the connection is lost just then', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  const lose = (learner: Learner) => learner.page.route(COURSE_FILES, (route) => route.abort('timedout'));

  for (const [standard, files, isThere] of [
    ['SCORM', scorm12Course(), (learner: Learner) => learner.given()],
    [
      'cmi5',
      { ...cmi5Course([{ id: 'https://example.com/one' }]), 'start.html': CMI5_PAGE },
      (learner: Learner) => learner.course.getByText('Normal').waitFor(),
    ],
  ] as const) {
    it(`leaves a page on which the learner can try again, and the course then opens: ${standard}`, async () => {
      const { registrationId } = await registerTo(service, files);
      await using learner = await newLearner(browser);
      await lose(learner);
      await learner.open(service, registrationId);
      await failed(learner).waitFor();
      await learner.page.getByText('The service cannot be reached. Check your connection').waitFor();
      await click(learner, 'Try again');
      await failed(learner).waitFor();
      await learner.page.unroute(COURSE_FILES);
      await click(learner, 'Try again');
      await isThere(learner);
      assert.equal(await failed(learner).count(), 0);
    });
  }

  it('uses up no time of a limited unit', async () => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: LIMITED }));
    await using learner = await newLearner(browser);
    await learner.page.addInitScript(() => Object.assign(globalThis, { timings: performance }));
    await learner.page.clock.install();
    // The clock of the test replaces the timings of requests, too.
    await learner.page.addInitScript(() => {
      const { timings } = globalThis as unknown as { timings: Performance };
      performance.getEntriesByName = (name) => timings.getEntriesByName(name);
    });
    const pass = async (minutes: number) => {
      await learner.page.clock.fastForward(minutes * MINUTE_MS);
      await nextFrames(learner.page);
    };
    const lost = Promise.withResolvers<void>();
    await learner.page.route(COURSE_FILES, async (route) => {
      await lost.promise;
      await route.abort('timedout');
    });
    await learner.open(service, registrationId);
    await learner.page.locator('iframe').waitFor();
    await pass(20);
    lost.resolve();
    await failed(learner).waitFor();
    await pass(31);
    assert.equal(await failed(learner).count(), 1);
    await learner.page.unroute(COURSE_FILES);
    await click(learner, 'Try again');
    await learner.given();
    await pass(29);
    assert.equal(await learner.page.locator('iframe').count(), 1);
    await pass(2);
    await learner.page.getByRole('heading', { name: 'The time for this unit is up' }).waitFor();
  });

  it('is not mistaken for a long one that goes to another site before all of it is there', async () => {
    const script = `<!doctype html><title>Lesson</title><script>location.replace('${OTHER_SITE}')</script>`;
    const files = {
      ...scorm12Course(),
      'lesson/index.html': script + randomBytes(4_000_000).toString('hex'),
    };
    const { registrationId } = await registerTo(service, files);
    await using learner = await newLearner(browser);
    await learner.page.route(OTHER_SITE, (route) => route.fulfill({ body: 'Elsewhere.' }));
    await learner.open(service, registrationId);
    await learner.course.getByText('Elsewhere.').waitFor();
    await nextFrames(learner.page);
    assert.equal(await failed(learner).count(), 0);
  });

  it('can be left for another unit, and for good', async () => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(2) }));
    await using learner = await newLearner(browser);
    await lose(learner);
    await learner.open(service, registrationId);
    await failed(learner).waitFor();
    await learner.page.unroute(COURSE_FILES);
    await learner.openUnit('Lesson 2');
    await learner.given();
    await lose(learner);
    await click(learner, /^Lesson 1/);
    await failed(learner).waitFor();
    await click(learner, 'Exit');
    await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
  });
});

test('a course that goes to another site is not shown as one that could not be opened', async () => {
  const page = `<!doctype html><title>Lesson</title><script>location.replace('${OTHER_SITE}')</script>`;
  const files = { ...scorm12Course(), 'lesson/index.html': page };
  await using service = await startTestService();
  const { registrationId } = await registerTo(service, files);
  await using learner = await newLearner(await sharedBrowser());
  await learner.page.route(OTHER_SITE, (route) => route.fulfill({ body: 'Elsewhere.' }));
  await learner.page.addInitScript(() => {
    const tell = ({ target }: Event) => {
      // Only the page of another site cannot be read.
      if ((target as HTMLIFrameElement).contentDocument === null)
        document.documentElement.dataset.course = 'elsewhere';
    };
    // Listens before the player, which decides at this event whether the course was lost.
    document.addEventListener('load', tell, true);
  });
  await learner.open(service, registrationId);
  await learner.page.locator('html[data-course=elsewhere]').waitFor();
  assert.equal(await failed(learner).count(), 0);
  await learner.course.getByText('Elsewhere.').waitFor();
  await click(learner, 'Exit');
  await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
});
