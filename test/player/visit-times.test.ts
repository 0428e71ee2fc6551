import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startLaunch } from '../support/player-client.ts';
import { scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

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
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

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
});
