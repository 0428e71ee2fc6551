import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { borrowTestService } from '../support/lent-service.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startUnit } from '../ui/support/data-model.ts';

describe('the answers of a learner', () => {
  for (const [version, course, response] of [
    ['1.2', scorm12Course(), 'student_response'],
    ['2004', scorm2004Course(), 'learner_response'],
  ] as const) {
    it(`stay when a unit of SCORM ${version} is visited again, and new ones are added`, async () => {
      await using service = await borrowTestService();
      const { registrationId } = await registerTo(service, course);
      /** Adds answers in a new window. Returns how many the course found there. */
      const visit = async (answers: Record<string, string>) => {
        const client = await startLaunch(service, registrationId);
        await client.open();
        const { api, sent } = startUnit(version, (await client.openUnit('i1')).data.cmi);
        api.Initialize('');
        const count = Number(api.GetValue('cmi.interactions._count'));
        for (const [at, [id, answer]] of Object.entries(answers).entries()) {
          for (const [name, value] of Object.entries({ id, type: 'choice', [response]: answer })) {
            assert.equal(api.SetValue(`cmi.interactions.${count + at}.${name}`, value), 'true', name);
          }
        }
        assert.equal((await client.commit('i1', sent(), { terminated: true })).status, 200);
        return count;
      };
      assert.equal(await visit({ q1: 'a', q2: 'b' }), 0);
      assert.equal(await visit({}), 2);
      assert.equal(await visit({ q3: 'c' }), 2);
      const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
      const stored = Object.values<Record<string, string>>(body.attempts[0].units[0].data.cmi.interactions);
      assert.deepEqual(
        stored.map((each) => [each.id, each[response]]),
        [
          ['q1', 'a'],
          ['q2', 'b'],
          ['q3', 'c'],
        ],
      );
    });
  }
});
