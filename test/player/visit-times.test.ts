import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS } from '../../src/time/units.ts';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { startLaunch, startUnit } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { launchUnit, Player } from './learner-helpers.ts';

// Runs on SQLite in `npm test`: times are added up in the process. The tests of attempts store them on both.

const LIMITED = scorm2004Course({
  items:
    '<item identifier="i1" identifierref="r1"><title>Lesson 1</title>' +
    '<adlcp:timeLimitAction>exit,message</adlcp:timeLimitAction>' +
    '<imsss:sequencing><imsss:limitConditions attemptAbsoluteDurationLimit="PT30M"/></imsss:sequencing></item>' +
    '<item identifier="i2" identifierref="r1"><title>Lesson 2</title></item>',
  sequencing: '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>',
});

describe('the time of a unit', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  test('is that of the attempt on the unit in a course with sequencing, also when the attempt is resumed', async () => {
    const { registrationId } = await registerTo(service, LIMITED);
    /** Opens the unit in a new window. Returns its total time and the minutes that are left. */
    const open = async (isResumed: boolean) => {
      const client = await startLaunch(service, registrationId);
      await client.open();
      const { body } = await client.post('unit', { unit: 'i1', isResumed });
      const times = [body.data.cmi.total_time, body.timeLimit.leftMs / 60_000];
      const spend = async (minutes: number, exit: string) => {
        const cmi = { completion_status: 'incomplete', session_time: `PT${minutes}M`, exit };
        // The first save of a visit may come long before the last.
        for (const terminated of [false, true]) {
          const further = isResumed ? {} : { isNewAttempt: true };
          const { body: answer } = await client.commit('i1', cmi, { terminated, ...further });
          assert.deepEqual(answer, { outcome: 'recorded' });
        }
      };
      return { times, spend };
    };
    const first = await open(false);
    assert.deepEqual(first.times, ['PT0S', 30]);
    await first.spend(29, '');
    const second = await open(false);
    assert.deepEqual(second.times, ['PT0S', 30]);
    await second.spend(4, 'suspend');
    const third = await open(true);
    assert.deepEqual(third.times, ['PT4M', 26]);
    await third.spend(5, 'suspend');
    assert.deepEqual((await open(true)).times, ['PT9M', 21]);
    const { duration } = (await service.api.get(`/registrations/${registrationId}`)).body;
    assert.equal(duration, 38 * 60, 'all attempts count for the registration');
  });

  for (const times of [{ elapsedMs: 8 * DAY_MS }, { elapsedMs: 1_000, earlierSessionsMs: 8 * DAY_MS }]) {
    test(`is at most a week for one visit, and nothing is lost of a longer one: ${JSON.stringify(times)}`, async () => {
      const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
      const cmi = { core: { lesson_status: 'passed' } };
      assert.deepEqual((await client.commit('i1', cmi, times)).body, { outcome: 'recorded' });
      const { success, duration } = (await service.api.get(`/registrations/${registrationId}`)).body;
      assert.deepEqual([success, duration], ['PASS', (7 * DAY_MS) / 1_000]);
    });
  }

  test('does not shrink if the course restarts its clock within a visit, and the next visit adds to it', async () => {
    const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
    const report = (session_time: string) => ({ core: { lesson_status: 'incomplete', session_time } });
    await client.commit('i1', report('00:10:00'));
    await client.commit('i1', report('00:01:00'));
    for (const total of ['0000:10:00.00', '0000:15:00.00']) {
      const next = await startLaunch(service, registrationId);
      await next.open();
      assert.equal((await next.openUnit('i1')).data.cmi.core.total_time, total);
      await next.commit('i1', report('00:05:00'));
    }
  });

  test('opens a completed unit for review once its limit is used up, also if no visit has ended', async () => {
    const item =
      '<item identifier="i1" identifierref="r1"><title>Lesson 1</title>' +
      '<adlcp:maxtimeallowed>00:30:00</adlcp:maxtimeallowed><adlcp:timelimitaction>exit,message</adlcp:timelimitaction>' +
      '<adlcp:masteryscore>80</adlcp:masteryscore></item>';
    for (const [lesson_status, session_time, left] of [
      ['passed', '00:31:00', [true, null]],
      ['completed', '00:31:00', [true, null]],
      ['passed', '00:29:00', [false, 60_000]],
      ['failed', '00:31:00', [false, 0]],
      ['incomplete', '00:31:00', [false, 0]],
    ] as const) {
      const { registrationId } = await registerTo(service, scorm12Course({ items: item }));
      const open = async () => {
        const client = await startLaunch(service, registrationId);
        await client.open();
        const { isReview, timeLimit } = await client.openUnit('i1');
        return { client, found: [isReview, timeLimit?.leftMs ?? null] };
      };
      const { client } = await open();
      await client.commit('i1', { core: { lesson_status, session_time } });
      assert.deepEqual((await open()).found, left, `${lesson_status} after ${session_time}`);
    }
  });

  test('opens a passed unit of AICC for review once its limit is used up, also without ExitAU', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    const unit = new AiccUnit(await launchUnit(service, registrationId, 'A1'));
    await unit.send('PutParam', '[core]\nlesson_status=passed\nscore=90\ntime=00:31:00');
    const player = await Player.open(service, registrationId);
    const { isReview, timeLimit, address } = await player.post('/unit', { unit: 'A1' });
    assert.deepEqual([isReview, timeLimit], [true, null]);
    const { values } = await new AiccUnit(new URL(address)).parameters();
    assert.deepEqual([values.Lesson_Mode, values.Credit], ['review', 'no-credit']);
  });
});
