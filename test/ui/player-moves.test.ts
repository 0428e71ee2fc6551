import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { lessons, scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const SEQUENCED = {
  items: lessons(3),
  sequencing: '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>',
};
/** The results of the course and of its lessons once the first one is passed. */
const ONLY_FIRST = ['Incomplete', 'UNKNOWN', 'Completed', 'Unknown', 'Unknown'];

describe('a learner who asks for another unit while one is closing', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  /** Holds the first request to a path until `release` is called, and counts all of them. */
  const held = async (page: Page, path: string) => {
    const first = Promise.withResolvers<Route>();
    const arrived = page.waitForRequest(`**/${path}`);
    // A test that expects no request does not wait for one.
    arrived.catch(() => {});
    const release = async () => {
      await arrived;
      await (await first.promise).continue();
    };
    const seen = { count: 0, arrived, release };
    await page.route(`**/${path}`, async (route) => {
      seen.count += 1;
      if (seen.count === 1) first.resolve(route);
      else await route.continue();
    });
    return seen;
  };
  const button = ({ page }: Learner, name: string | RegExp) => page.getByRole('button', { name });
  /** Clicks without waiting for anything, as an impatient learner does. */
  const click = (learner: Learner, name: string | RegExp, times = 1) =>
    button(learner, name).evaluateAll((elements, count) => {
      for (let at = 0; at < count; at++) for (const each of elements) (each as HTMLElement).click();
    }, times);
  const runtimeOf = async (registrationId: string) =>
    (await service.api.get(`/registrations/${registrationId}/runtime`)).body.attempts[0];
  const unitsOf = async (registrationId: string) => {
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    return [
      body.completion,
      body.success,
      ...body.units.map((unit: { completion: string }) => unit.completion),
    ];
  };
  const inLesson = (learner: Learner, number: number) =>
    learner.page
      .locator('nav [aria-current]')
      .filter({ hasText: `Lesson ${number}` })
      .waitFor();

  /** Opens a course of three lessons and passes the first one. */
  const passFirst = async (learner: Learner) => {
    const { registrationId } = await registerTo(service, scorm2004Course(SEQUENCED));
    await learner.open(service, registrationId);
    await learner.course.locator('#pass').click();
    await learner.saved();
    return registrationId;
  };

  it('gets the next one, and no unit that was not opened gets a status', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passFirst(learner);
    const commits = await held(learner.page, 'commit');
    await click(learner, 'Next', 3);
    await commits.arrived;
    const disabled = await learner.page.getByRole('button', { name: 'Next', disabled: true }).count();
    await click(learner, /^Lesson 3/);
    await commits.release();
    assert.equal(disabled, 1, 'it shows that the click was heard');
    await inLesson(learner, 2);
    await learner.given();
    assert.deepEqual(await unitsOf(registrationId), ONLY_FIRST);
    const { current, activities } = (await runtimeOf(registrationId)).state.sequencing;
    assert.deepEqual(
      [current, activities.i2.isActive, activities.i2.objectives[0].completed, activities.i3],
      ['i2', true, null, undefined],
    );
    await button(learner, 'Next').and(learner.page.locator(':enabled')).waitFor();
  });

  it('leaves the course instead, once the unit is saved, if the learner exits', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passFirst(learner);
    const commits = await held(learner.page, 'commit');
    const opened = await held(learner.page, 'unit');
    await click(learner, 'Next');
    await commits.arrived;
    await click(learner, 'Exit', 2);
    await commits.release();
    await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
    assert.equal(opened.count, 0, 'no further unit is opened');
    assert.deepEqual(await unitsOf(registrationId), ONLY_FIRST);
    await learner.page.unroute('**/unit');
    await learner.open(service, registrationId);
    await inLesson(learner, 2);
  });

  it('can only try again or exit if the next unit cannot be opened', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passFirst(learner);
    await learner.page.route('**/unit', (route) => route.fulfill({ status: 503, body: '{}' }), { times: 1 });
    await button(learner, 'Next').click();
    await learner.page.getByRole('heading', { name: 'The course could not be opened' }).waitFor();
    assert.equal(await button(learner, 'Next').isDisabled(), true);
    assert.equal(await button(learner, /^Lesson 3/).isVisible(), false);
    const opened = await held(learner.page, 'unit');
    await click(learner, 'Try again', 2);
    await opened.release();
    await inLesson(learner, 2);
    await learner.given();
    assert.equal(opened.count, 1);
    assert.deepEqual(await unitsOf(registrationId), ONLY_FIRST);
  });

  const openSecond = async (learner: Learner) => {
    await click(learner, 'Next');
    await inLesson(learner, 2);
    await learner.given();
  };
  /** Leaves the second lesson for the third one, before the page of the second one has loaded. */
  const skipSecond = async (learner: Learner, lesson: { arrived: Promise<unknown> }) => {
    await lesson.arrived;
    await inLesson(learner, 2);
    await button(learner, /^Lesson 3/).click();
    await inLesson(learner, 3);
    await learner.given();
  };
  const stateOf = async (registrationId: string) => (await runtimeOf(registrationId)).state.sequencing;
  const passes = async (learner: Learner) => {
    await learner.course.locator('#pass').click();
    await learner.saved();
  };

  it('leaves a sequenced unit before its page has loaded, and the unit gets no status', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passFirst(learner);
    const lesson = await held(learner.page, 'lesson/index.html');
    await click(learner, 'Next');
    await skipSecond(learner, lesson);
    assert.equal((await stateOf(registrationId)).activities.i2, undefined, 'no attempt has begun');
    await passes(learner);
    // Until then, the page may still say that the unit before is saved.
    await until(
      async () => (await unitsOf(registrationId))[4] === 'Completed',
      'the third lesson is completed',
    );
    assert.deepEqual(await unitsOf(registrationId), [
      ...['Incomplete', 'UNKNOWN'],
      ...['Completed', 'Incomplete', 'Completed'],
    ]);
    await button(learner, /^Lesson 2/).click();
    await inLesson(learner, 2);
    assert.equal((await learner.given()).entry, 'ab-initio');
    await passes(learner);
    await until(async () => (await unitsOf(registrationId))[1] === 'PASS', 'the course is passed');
    assert.deepEqual((await unitsOf(registrationId)).slice(0, 2), ['Completed', 'PASS']);
  });

  it('leaves a finished unit before its page has loaded again, and the unit is still finished', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passFirst(learner);
    await openSecond(learner);
    await passes(learner);
    await click(learner, /^Lesson 1/);
    await inLesson(learner, 1);
    await learner.given();
    const lesson = await held(learner.page, 'lesson/index.html');
    await click(learner, /^Lesson 2/);
    await skipSecond(learner, lesson);
    await passes(learner);
    assert.deepEqual((await unitsOf(registrationId)).slice(0, 2), ['Completed', 'PASS']);
  });

  it('leaves a resumed unit before its page has loaded, and the unit keeps its data', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passFirst(learner);
    await openSecond(learner);
    await learner.course.locator('#suspend').click();
    await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
    const lesson = await held(learner.page, 'lesson/index.html');
    await learner.open(service, registrationId);
    await skipSecond(learner, lesson);
    await button(learner, /^Lesson 2/).click();
    await inLesson(learner, 2);
    const { entry, location, suspend_data } = await learner.given();
    assert.deepEqual([entry, location, suspend_data], ['resume', 'page-7', 'answers=a,b']);
    assert.equal((await stateOf(registrationId)).activities.i2.attempts, 1);
  });

  it('leaves a unit that failed and never ended before its page has loaded again, and the unit is not passed', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passFirst(learner);
    await openSecond(learner);
    await learner.calls(['SetValue', 'cmi.success_status', 'failed'], ['Commit', '']);
    await learner.saved();
    const lesson = await held(learner.page, 'lesson/index.html');
    await learner.open(service, registrationId);
    await skipSecond(learner, lesson);
    await passes(learner);
    const { isSuspended, objectives } = (await stateOf(registrationId)).activities.i2;
    assert.deepEqual([isSuspended, objectives[0].satisfied], [true, null]);
    assert.deepEqual((await unitsOf(registrationId)).slice(0, 2), ['Incomplete', 'UNKNOWN']);
  });

  it('opens a unit of a plain table of contents once', async () => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(2) }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const opened = await held(learner.page, 'unit');
    await click(learner, /^Lesson 2/, 2);
    await opened.release();
    await inLesson(learner, 2);
    await learner.given();
    assert.equal(opened.count, 1);
  });

  it('leaves the course with one step back, however many units were opened', async () => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(3) }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const stepsOf = () => learner.page.evaluate(() => history.length);
    const steps = await stepsOf();
    for (const number of [2, 3]) {
      await button(learner, new RegExp(`^Lesson ${number}`)).click();
      await inLesson(learner, number);
      await learner.given();
    }
    assert.equal(await stepsOf(), steps);
  });

  it('stays in a unit that asks whether to leave it if that is the answer, and can leave later', async () => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(2) }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const results = await held(learner.page, 'units');
    await learner.course.locator('#pass').click();
    await results.arrived;
    await learner.course.locator('body').evaluate(() => {
      addEventListener('beforeunload', (event) => event.preventDefault());
    });
    const asked = learner.page.waitForEvent('dialog');
    const leave = click(learner, /^Lesson 2/);
    await (await asked).dismiss();
    await leave;
    // The contents show them before it is known that the learner stays.
    await results.release();
    await learner.page.locator('nav:not([inert])').waitFor();
    await inLesson(learner, 1);
    await learner.course.locator('#pass').waitFor();
    learner.page.on('dialog', (dialog) => void dialog.accept());
    await click(learner, 'Exit');
    await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
    assert.deepEqual(await unitsOf(registrationId), ['Incomplete', 'UNKNOWN', 'Completed', 'Unknown']);
  });

  it('stays in a unit that asks whether to leave it, also if its page finishes loading only after the answer, and then lets the unit lead on', async () => {
    const course = scorm2004Course(SEQUENCED);
    const lesson = String(course['lesson/index.html']).replace('</body>', '<img src="slow.png"></body>');
    const { registrationId } = await registerTo(service, { ...course, 'lesson/index.html': lesson });
    await using learner = await newLearner(browser);
    const picture = await held(learner.page, 'slow.png');
    await learner.open(service, registrationId);
    await picture.arrived;
    await learner.course.locator('body').click();
    await learner.course.locator('body').evaluate(() => {
      addEventListener('beforeunload', (event) => event.preventDefault(), { once: true });
    });
    const asked = learner.page.waitForEvent('dialog');
    const leave = click(learner, /^Lesson 2/);
    await (await asked).dismiss();
    await leave;
    await picture.release();
    await learner.page.locator('nav:not([inert])').waitFor();
    await inLesson(learner, 1);
    await learner.calls(['SetValue', 'adl.nav.request', 'continue'], ['Terminate', '']);
    await inLesson(learner, 2);
  });

  it('says on Exit if the connection is lost in the meantime, and the next launch records the data', async () => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(2) }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.page.route('**/commit', (route) => route.abort());
    await learner.course.locator('#pass').click();
    await click(learner, /^Lesson 2/);
    await learner.page.getByText('The service cannot be reached.').waitFor();
    await click(learner, 'Exit');
    await learner.page.getByRole('heading', { name: 'Your work is not saved yet' }).waitFor();
    assert.equal(
      await learner.page.getByText('The service cannot be reached.').count(),
      1,
      'only the card says it',
    );
    await learner.page.unroute('**/commit');
    await learner.open(service, registrationId);
    await learner.given();
    assert.deepEqual(await unitsOf(registrationId), ['Incomplete', 'UNKNOWN', 'Completed', 'Unknown']);
  });
});
