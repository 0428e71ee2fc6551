import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit, TWO_UNITS } from './aicc-helpers.ts';
import { launchUnit, Player, resultOf } from './learner-helpers.ts';

// Runs on SQLite in `npm test`: messages of AICC are read in the process. The tests of attempts and of last requests
// store what courses save on both.

describe('an AICC unit', () => {
  let service: TestService;
  /** The access token of the tests is valid for an hour. */
  const clock = new RunningClock();

  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ now: clock.now }));
  });

  const register = async (files = aiccFiles()) => (await registerTo(service, files)).registrationId;
  const open = async (registrationId: string) =>
    new AiccUnit(await launchUnit(service, registrationId, 'A1'));

  test('that only reads its data is incomplete from then on, and was open until it last read', async () => {
    const registrationId = await register(TWO_UNITS);
    const record = async () => (await service.api.get(`/registrations/${registrationId}`)).body;
    const minutes = async () => Math.floor((await record()).units[0].duration / 60);
    const unit = await open(registrationId);
    assert.equal((await unit.parameters()).values.Lesson_Status, 'not attempted, ab-initio');
    const { completion, success, units } = await record();
    assert.deepEqual([completion, success, units[0].completion], ['Incomplete', 'UNKNOWN', 'Incomplete']);
    assert.notEqual(units[0].opened_dt, null);
    assert.equal(units[1].completion, 'Unknown');
    clock.aheadMs += 2 * 60_000;
    assert.equal((await unit.parameters()).values.Lesson_Status, 'not attempted, ab-initio', 'as before');
    assert.equal(await minutes(), 2);
    const again = await open(registrationId);
    for (const passed of [0, 3]) {
      clock.aheadMs += passed * 60_000;
      assert.equal((await again.parameters()).values.Lesson_Status, 'not attempted, resume');
    }
    assert.equal(await minutes(), 5);
    await again.send('PutParam', '[core]\nlesson_status=incomplete');
    const about = `registration_id=${registrationId}&subtopic=REGISTRATION_STATUS_UPDATED`;
    assert.equal((await service.api.get(`/events?${about}`)).body.data.length, 1);
  });

  test('that only reads its data records nothing in another mode, in an older window, or once it is finished', async () => {
    const registrationId = await register();
    const completion = async () => (await resultOf(service, registrationId)).completion;
    for (const mode of ['browse', 'review']) {
      const { launch_url } = (await service.api.post(`/registrations/${registrationId}/launch`, { mode }))
        .body;
      const looking = await Player.follow(launch_url);
      await new AiccUnit(await looking.openUnit('A1')).parameters();
      assert.equal(await completion(), 'Unknown', mode);
    }
    const old = await open(registrationId);
    const unit = await open(registrationId);
    await old.parameters();
    assert.equal(await completion(), 'Unknown');
    await unit.send('PutParam', '[core]\nlesson_status=passed\nscore=90\ntime=00:01:00');
    await unit.send('ExitAU');
    await (await open(registrationId)).parameters();
    clock.aheadMs += 60_000;
    await unit.parameters();
    const { duration, score, success } = await resultOf(service, registrationId);
    assert.deepEqual([success, score, duration], ['PASS', 90, 60]);
  });

  test('still needs another status before a lower score of another pass counts, after it has read its data', async () => {
    const registrationId = await register();
    const first = await open(registrationId);
    await first.send('PutParam', '[core]\nlesson_status=passed,s\nscore=90');
    await first.send('PutParam', '[core]\nlesson_status=failed,s\nscore=10');
    const unit = await open(registrationId);
    await unit.parameters();
    await unit.send('PutParam', '[core]\nlesson_status=passed,s\nscore=85');
    assert.equal((await resultOf(service, registrationId)).score, 90);
  });
});
