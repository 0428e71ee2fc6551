import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { MINUTE_MS } from '../../src/time/units.ts';
import { OpenUnit } from '../../web/player/src/open-unit.ts';
import type { Unit, UnitStart } from '../../web/player/src/server.ts';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { nextFrames } from './support/frames.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { pageInNode } from './support/page-in-node.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const OVER = { name: 'The time for this unit is up' };
const limited12 = (time: string, action: string, id = 'i1') =>
  `<item identifier="${id}" identifierref="r1"><title>Lesson ${id}</title>` +
  `<adlcp:maxtimeallowed>${time}</adlcp:maxtimeallowed><adlcp:timelimitaction>${action}</adlcp:timelimitaction></item>`;
const SEQUENCED =
  '<item identifier="i1" identifierref="r1"><title>Lesson 1</title>' +
  '<adlcp:timeLimitAction>exit,message</adlcp:timeLimitAction>' +
  '<imsss:sequencing><imsss:limitConditions attemptAbsoluteDurationLimit="PT30M"/></imsss:sequencing></item>' +
  '<item identifier="i2" identifierref="r1"><title>Lesson 2</title>' +
  '<imsss:sequencing><imsss:rollupRules rollupObjectiveSatisfied="false" rollupProgressCompletion="false"/></imsss:sequencing></item>';

describe('a time limit of a unit', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  const over = (learner: Learner) => learner.page.getByRole('heading', OVER).waitFor();
  /** A learner whose time the test lets pass, so that a limit ends no unit that a busy machine is still opening. */
  const newLearnerWithClock = async () => {
    const learner = await newLearner(browser);
    await learner.page.clock.install();
    return learner;
  };
  const pass = async (learner: Learner, minutes: number) => {
    await learner.page.clock.fastForward(minutes * MINUTE_MS);
    await nextFrames(learner.page);
  };
  const dataOf = async (registrationId: string) =>
    (await service.api.get(`/registrations/${registrationId}/runtime`)).body.attempts.at(-1).units[0].data;

  it('with "exit,message" ends a unit of SCORM 1.2, keeps its last data and remains used up', async () => {
    const { registrationId } = await registerTo(
      service,
      scorm12Course({ items: limited12('00:30:00', 'exit,message') }),
    );
    await using learner = await newLearnerWithClock();
    await learner.open(service, registrationId);
    await learner.given();
    await pass(learner, 31);
    await over(learner);
    assert.equal(await learner.page.locator('iframe').count(), 0);
    const { cmi, terminated } = await dataOf(registrationId);
    assert.deepEqual([cmi.core.exit, cmi.core.lesson_status, terminated], ['time-out', 'incomplete', true]);
    await learner.open(service, registrationId);
    await over(learner);
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('button', { name: 'Back to the course' }).waitFor();
  });

  it('also ends a later session of a course that has ended its first one in the same page', async () => {
    const { registrationId } = await registerTo(
      service,
      scorm12Course({ items: limited12('00:30:00', 'exit,message') }),
    );
    await using learner = await newLearnerWithClock();
    await learner.open(service, registrationId);
    await learner.given();
    await learner.calls(
      ['LMSFinish', ''],
      ['LMSInitialize', ''],
      ['LMSSetValue', 'cmi.core.lesson_location', '2'],
    );
    await pass(learner, 31);
    await over(learner);
    const { cmi } = await dataOf(registrationId);
    assert.deepEqual([cmi.core.exit, cmi.core.lesson_location], ['time-out', '2']);
  });

  it('counts from the beginning of a later session, and not the time between two', async () => {
    const { registrationId } = await registerTo(
      service,
      scorm12Course({ items: limited12('00:30:00', 'exit,message') }),
    );
    await using learner = await newLearnerWithClock();
    await learner.open(service, registrationId);
    await learner.given();
    await pass(learner, 10);
    await learner.calls(['LMSFinish', '']);
    await pass(learner, 60);
    await learner.calls(['LMSInitialize', '']);
    await pass(learner, 15);
    assert.equal(await learner.page.locator('iframe').count(), 1);
    await pass(learner, 6);
    await over(learner);
  });

  it('with "exit,no message" exits the course, or returns to the other units', async () => {
    const one = await registerTo(service, scorm12Course({ items: limited12('00:30:00', 'exit,no message') }));
    await using learner = await newLearnerWithClock();
    await learner.open(service, one.registrationId);
    await learner.given();
    await pass(learner, 31);
    await learner.page.getByRole('button', { name: 'Back to the course' }).waitFor();
    const items = limited12('00:30:00', 'exit,no message') + limited12('', '', 'i2');
    const two = await registerTo(service, scorm12Course({ items }));
    await learner.open(service, two.registrationId);
    await learner.given();
    await pass(learner, 31);
    await learner.page.getByRole('heading', { name: 'You have left this unit' }).waitFor();
    await learner.page.getByRole('button', { name: 'Lesson i2' }).click();
    await learner.given();
  });

  it('with "continue,message" shows a message, and the unit continues and passes', async () => {
    const { registrationId } = await registerTo(
      service,
      scorm12Course({ items: limited12('00:30:00', 'continue,message') }),
    );
    await using learner = await newLearnerWithClock();
    await learner.open(service, registrationId);
    await learner.given();
    await pass(learner, 31);
    await learner.page.getByText('You can still continue').waitFor();
    await learner.course.locator('#pass').click();
    await learner.saved();
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.success, 'PASS');
    // A finished unit opens for review, which has no limit.
    await learner.open(service, registrationId);
    assert.equal((await learner.given())['core.lesson_mode'], 'review');
    assert.equal(await learner.page.getByText('You can still continue').isVisible(), false);
  });

  it('ends the attempt on a SCORM 2004 course with sequencing, as the exit "time-out" does', async () => {
    const { registrationId } = await registerTo(
      service,
      scorm2004Course({
        items: SEQUENCED,
        sequencing: '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>',
      }),
    );
    await using learner = await newLearnerWithClock();
    await learner.open(service, registrationId);
    await learner.given();
    await pass(learner, 31);
    await over(learner);
    const { cmi, terminated } = await dataOf(registrationId);
    assert.deepEqual([cmi.exit, terminated], ['time-out', true]);
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual(
      [body.completion, body.success],
      ['Incomplete', 'UNKNOWN'],
      'the other unit does not count',
    );
    await learner.open(service, registrationId);
    assert.equal((await learner.given()).entry, 'ab-initio');
  });

  it('closes a unit of AICC', async () => {
    const files = aiccFiles();
    const { registrationId } = await registerTo(service, {
      ...files,
      'course.au': String(files['course.au']).replace('exit,message', 'E,M'),
    });
    await using learner = await newLearnerWithClock();
    await learner.open(service, registrationId);
    await learner.course.getByText('A lesson.').waitFor();
    await pass(learner, 31);
    await over(learner);
  });
});

it('a session that begins without any time left has 5 seconds to end on its own', async (t) => {
  const { pass } = pageInNode(t);
  const unit = {} as Unit;
  const timeLimit = { leftMs: 30_000, exits: true, hasMessage: true };
  const onTimeOver = t.mock.fn();
  const open = new OpenUnit(unit, { timeLimit } as UnitStart, onTimeOver);
  open.startClock();
  await pass(34_000);
  open.changed('terminate');
  await pass(60_000);
  open.changed('initialize');
  await pass(4_999);
  assert.equal(onTimeOver.mock.callCount(), 0);
  await pass(1);
  assert.equal(onTimeOver.mock.callCount(), 1);
});
