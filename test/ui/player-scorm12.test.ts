import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { freePorts } from '../support/free-port.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { receivedStatuses, subscribeToResults } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { type Classroom, newLearner, openClassroom } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const USER = 'ann@example.com';
const PASSED = { user: USER, completion: 'Completed', success: 'PASS', score: 85, duration: 90 };
const STARTED = { user: USER, completion: 'Incomplete', success: 'UNKNOWN', score: null };

describe('a SCORM 1.2 course in a browser', () => {
  let classroom: Classroom;
  let { service, browser, target } = {} as Classroom;
  aroundTests(async (parts) => {
    classroom = parts.use(await openClassroom());
    ({ service, browser, target } = classroom);
  });

  const heard = (id: string) => receivedStatuses(target, id);
  const heardCount = (id: string, count: number) =>
    until(() => heard(id).length >= count, `${count} results are heard of`);

  it('reports a pass to webhooks, once', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    assert.deepEqual(await learner.given(), {
      started: 'true',
      'core.entry': 'ab-initio',
      'core.lesson_mode': 'normal',
      'core.credit': 'credit',
      'core.lesson_status': 'not attempted',
      'core.lesson_location': '',
      'core.total_time': '00:00:00',
      'core.student_id': USER,
      suspend_data: '',
      launch_data: '',
      'student_data.mastery_score': '80',
    });
    await learner.course.locator('#pass').click();
    await learner.saved();
    await heardCount(registrationId, 1);
    assert.deepEqual(heard(registrationId), [PASSED]);
  });

  it('stores an answer with line breaks', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.calls(
      ['LMSSetValue', 'cmi.interactions.0.id', 'essay'],
      ['LMSSetValue', 'cmi.interactions.0.type', 'fill-in'],
      ['LMSSetValue', 'cmi.interactions.0.student_response', 'Dear all,\nthe exit is on the left.'],
      ['LMSCommit', ''],
    );
    await learner.saved();
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    assert.match(JSON.stringify(body), /"student_response":"Dear all,\\nthe exit is on the left\."/);
  });

  it('resumes in another browser, and adds up the time of both sessions', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    {
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await learner.course.locator('#suspend').click();
      await learner.saved();
    }
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    const given = await learner.given();
    assert.deepEqual(
      [given['core.entry'], given['core.lesson_location'], given.suspend_data, given['core.total_time']],
      ['resume', 'page-7', 'answers=a,b', '00:00:30'],
    );
    await learner.course.locator('#pass').click();
    await learner.saved();
    await heardCount(registrationId, 2);
    assert.deepEqual(heard(registrationId), [
      { ...STARTED, duration: 30 },
      { ...PASSED, duration: 120 },
    ]);
  });

  it('shows a finished course for review, which removes no results', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.course.locator('#pass').click();
    await learner.saved();
    await learner.open(service, registrationId);
    const given = await learner.given();
    assert.deepEqual(
      [given['core.lesson_mode'], given['core.credit'], given['core.lesson_status']],
      ['review', 'no-credit', 'passed'],
    );
    await learner.course.locator('#fail').click();
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual([body.completion, body.success, body.score], ['Completed', 'PASS', 85]);
  });

  it('lets a learner who failed try again, and keeps the pass', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    for (const button of ['#fail', '#pass']) {
      await learner.open(service, registrationId);
      await learner.course.locator(button).click();
      await learner.saved();
    }
    await heardCount(registrationId, 2);
    assert.deepEqual(heard(registrationId), [
      { ...PASSED, success: 'FAIL', score: 40 },
      { ...PASSED, duration: 180 },
    ]);
  });

  it('records the last data of a course whose page is left', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.passesAtTheEnd();
    await learner.page.goto('about:blank');
    const found = () => heard(registrationId).find(({ completion }) => completion === 'Completed');
    await until(found, 'the last words are heard of');
    assert.deepEqual([found()?.success, found()?.score], ['PASS', 90]);
    assert.ok(heard(registrationId).length <= 2, JSON.stringify(heard(registrationId)));
    await learner.open(service, registrationId);
    assert.equal((await learner.given())['core.lesson_location'], 'last-page');
  });

  it('records values that a course sets while its page is left, even without commit or finish', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.course.locator('body').evaluate(() => {
      const { sco } = globalThis as unknown as {
        sco: { LMSSetValue(element: string, value: string): string };
      };
      addEventListener('unload', () => {
        sco.LMSSetValue('cmi.core.score.raw', '70');
        sco.LMSSetValue('cmi.core.lesson_status', 'passed');
      });
    });
    await learner.page.goto('about:blank');
    const found = () => heard(registrationId).find(({ success }) => success === 'PASS');
    await until(found, 'the result is heard of');
    assert.deepEqual([found()?.completion, found()?.score], ['Completed', 70]);
  });

  it('records the last data of a course whose tab is closed on a slow device, after 1 MB of suspend data', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    // The page may still say that an earlier save is done.
    const isSaved = learner.page.waitForResponse(
      (response) => (response.request().postData() ?? '').length > 2 ** 20 && response.ok(),
    );
    const taken = await learner.course.locator('body').evaluate(() => {
      const course = globalThis as unknown as {
        saysLastWords: boolean;
        sco: { LMSSetValue(element: string, value: string): string; LMSCommit(parameter: string): string };
      };
      course.saysLastWords = true;
      const result = course.sco.LMSSetValue('cmi.suspend_data', 'ä'.repeat(2 ** 20));
      course.sco.LMSCommit('');
      return result;
    });
    assert.equal(taken, 'true');
    await isSaved;
    await learner.saved();
    await learner.slowDown(8);
    await learner.page.close({ runBeforeUnload: true });
    await until(
      () => heard(registrationId).some(({ completion }) => completion === 'Completed'),
      'the last words are heard of',
    );
    await using other = await newLearner(browser);
    await other.open(service, registrationId);
    assert.equal((await other.given()).suspend_data, `${2 ** 20} characters`);
  });

  it('gives a course to the newer of two windows, and the older one says so', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using first = await newLearner(browser);
    await first.open(service, registrationId);
    await first.given();
    await using second = await newLearner(browser);
    await second.open(service, registrationId);
    await second.given();
    await first.course.locator('#fail').click();
    await first.page.getByRole('heading', { name: 'The course was opened in another window' }).waitFor();
    await second.course.locator('#pass').click();
    await second.saved();
    await heardCount(registrationId, 1);
    assert.deepEqual(heard(registrationId), [PASSED]);
  });

  it('survives a reload in the middle', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.course.locator('body').evaluate(() => {
      const { sco } = globalThis as unknown as {
        sco: { LMSSetValue(element: string, value: string): string };
      };
      sco.LMSSetValue('cmi.core.lesson_location', 'page-3');
    });
    await learner.page.reload();
    assert.equal((await learner.given())['core.lesson_location'], 'page-3');
  });
});

describe('a SCORM 1.2 course while the service is down', () => {
  it('keeps the learner’s progress, says so, and sends it when the service is back', async () => {
    await using target = await startTarget();
    const ports = await freePorts();
    const first = await startTestService({ settings: ports });
    const { data_dir: dataDir } = first.settings;
    await subscribeToResults(first, target);
    const { registrationId } = await registerTo(first, scorm12Course());
    await using learner = await newLearner(await sharedBrowser());
    await learner.open(first, registrationId);
    await learner.given();
    await first.service[Symbol.asyncDispose]();
    await learner.course.locator('#pass').click();
    await learner.page.getByText('The service cannot be reached.').waitFor();
    assert.deepEqual(receivedStatuses(target, registrationId), []);
    await using _second = await startTestService({ dataDir, settings: ports });
    await learner.saved();
    await until(() => receivedStatuses(target, registrationId).length > 0, 'the result is heard of');
    assert.deepEqual(receivedStatuses(target, registrationId), [PASSED]);
    await first.stop();
  });
});
