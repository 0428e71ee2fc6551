import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { SCORM_12, scormManifest } from '../support/course-packages.ts';
import { lessons, scorm12Course } from '../support/player-courses.ts';
import { receivedStatuses } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { until } from '../support/until.ts';
import { type Classroom, type Learner, newLearner, openClassroom } from './support/learner.ts';

/** Scenarios that other learning systems test in a browser, too: Moodle's SCORM activity has those of this file. */

describe('a learner in a SCORM course', () => {
  let classroom: Classroom;
  aroundTests(async (parts) => {
    classroom = parts.use(await openClassroom());
  });

  const recordOf = async (registrationId: string) =>
    (await classroom.service.api.get(`/registrations/${registrationId}`)).body;
  const openUnit = async (learner: Learner, title: string) => {
    await learner.openUnit(title);
    return await learner.given();
  };

  it('keeps data that a course saves on unload, when another unit is opened, the page is left or the tab is closed', async () => {
    const { service, browser } = classroom;
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(3) }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    const saysLastWords = async () => {
      await learner.given();
      await learner.passesAtTheEnd();
    };
    const unitsDone = async () =>
      (await recordOf(registrationId)).units
        .filter(
          ({ completion, score }: Record<string, unknown>) => completion === 'Completed' && score === 90,
        )
        .map(({ title }: { title: string }) => title);
    await saysLastWords();
    await openUnit(learner, 'Lesson 2');
    assert.deepEqual(await unitsDone(), ['Lesson 1']);
    await saysLastWords();
    await learner.page.goto('about:blank');
    await until(async () => (await unitsDone()).length === 2, 'the second unit is done');
    await learner.open(service, registrationId);
    await openUnit(learner, 'Lesson 3');
    await saysLastWords();
    await learner.page.close();
    await until(async () => (await unitsDone()).length === 3, 'the third unit is done');
    assert.equal((await recordOf(registrationId)).completion, 'Completed');
  });

  it('reviews a course of several units without changing any of them', async () => {
    const { service, browser, target } = classroom;
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(3) }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    for (const title of ['Lesson 1', 'Lesson 2', 'Lesson 3']) {
      if (title !== 'Lesson 1') await openUnit(learner, title);
      assert.equal((await learner.given())['core.lesson_mode'], 'normal');
      await learner.course.locator('#pass').click();
      await learner.saved();
    }
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: 'You have finished this course' }).waitFor();
    const before = await recordOf(registrationId);
    const heard = await until(() => {
      const results = receivedStatuses(target, registrationId);
      return results.at(-1)?.completion === 'Completed' ? results.length : false;
    }, 'the target hears of the result');

    await learner.open(service, registrationId);
    for (const title of ['Lesson 1', 'Lesson 2', 'Lesson 3']) {
      const given = await openUnit(learner, title);
      assert.deepEqual([given['core.lesson_mode'], given['core.credit']], ['review', 'no-credit'], title);
      await learner.course.locator('#fail').click();
    }
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: 'You have finished this course' }).waitFor();
    const { updated_dt: _now, ...after } = await recordOf(registrationId);
    const { updated_dt: _then, ...unchanged } = before;
    assert.deepEqual(after, unchanged);
    assert.equal(receivedStatuses(target, registrationId).length, heard);
  });

  it('completes a course that only ends, but not one that reports incomplete', async () => {
    const { service, browser } = classroom;
    const play = async (status: string | null) => {
      const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(1) }));
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await learner.given();
      await learner.course.locator('body').evaluate((_body, said) => {
        const { sco } = globalThis as unknown as {
          sco: { LMSSetValue(element: string, value: string): string; LMSFinish(parameter: string): string };
        };
        if (said !== null) sco.LMSSetValue('cmi.core.lesson_status', said);
        sco.LMSFinish('');
      }, status);
      await learner.saved();
      const { completion, success } = await recordOf(registrationId);
      return [completion, success];
    };
    assert.deepEqual(await play(null), ['Completed', 'UNKNOWN']);
    assert.deepEqual(await play('completed'), ['Completed', 'UNKNOWN']);
    assert.deepEqual(await play('passed'), ['Completed', 'PASS']);
    assert.deepEqual(await play('failed'), ['Completed', 'FAIL']);
    assert.deepEqual(await play('incomplete'), ['Incomplete', 'UNKNOWN']);
    assert.deepEqual(await play('browsed'), ['Incomplete', 'UNKNOWN']);
  });

  it('plays a course whose manifest has no organization', async () => {
    const { service, browser } = classroom;
    const manifest = scormManifest(SCORM_12, {
      title: 'Fire safety',
      resources:
        '<resource identifier="r1" type="webcontent" adlcp:scormtype="sco" href="lesson/index.html"/>',
    }).replace(/<organizations.*<\/organizations>/s, '<organizations/>');
    const { registrationId } = await registerTo(service, {
      ...scorm12Course(),
      'imsmanifest.xml': manifest,
    });
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.course.locator('#pass').click();
    await learner.saved();
    const { completion, success, score } = await recordOf(registrationId);
    assert.deepEqual([completion, success, score], ['Completed', 'PASS', 85]);
  });
});
