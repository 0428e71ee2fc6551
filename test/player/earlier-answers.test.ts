import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { borrowTestService } from '../support/lent-service.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startUnit } from '../ui/support/data-model.ts';

// Runs on SQLite in `npm test`: answers are merged before they are stored. The tests of attempts and the attacks store
// reports of units on both.

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

  it('of SCORM 1.2 replace those at their index with all members, if the course counts from 0 at each visit', async () => {
    await using service = await borrowTestService();
    const { registrationId } = await registerTo(service, scorm12Course());
    /** Sets elements of answers in a new window. */
    const visit = async (elements: Record<string, string>) => {
      const client = await startLaunch(service, registrationId);
      await client.open();
      const { api, sent } = startUnit('1.2', (await client.openUnit('i1')).data.cmi);
      api.Initialize('');
      for (const [name, value] of Object.entries(elements)) {
        assert.equal(api.SetValue(`cmi.interactions.${name}`, value), 'true', name);
      }
      assert.equal((await client.commit('i1', sent(), { terminated: true })).status, 200);
    };
    await visit({
      '0.id': 'q1',
      '0.objectives.0.id': 'o1',
      '0.type': 'choice',
      '0.correct_responses.0.pattern': 'a',
      '0.correct_responses.1.pattern': 'b',
      '0.weighting': '5',
      '0.student_response': 'a',
      '0.result': 'correct',
      '0.latency': '0000:00:10',
      '1.id': 'q2',
      '1.type': 'choice',
    });
    // Some courses set the id of an answer after other members, or add members to an answer of an earlier visit.
    await visit({
      '0.type': 'fill-in',
      '0.id': 'q7',
      '0.correct_responses.0.pattern': 'paris',
      '0.student_response': 'rome',
      '1.student_response': 'c',
    });
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    const stored = Object.values<object>(body.attempts[0].units[0].data.cmi.interactions);
    const withValues = stored.map((answer) =>
      Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== '')),
    );
    const nothing = { objectives: {}, correct_responses: {} };
    assert.deepEqual(withValues, [
      {
        ...nothing,
        id: 'q7',
        type: 'fill-in',
        correct_responses: { 0: { pattern: 'paris' } },
        student_response: 'rome',
      },
      { ...nothing, id: 'q2', type: 'choice', student_response: 'c' },
    ]);
  });

  it('of SCORM 1.2 stay if the new id is rejected, and those of this visit stay if the course initializes again', () => {
    const interactions = { 0: { id: 'q1', result: 'correct' }, 1: { id: 'q2', result: 'wrong' } };
    const { api, sent } = startUnit('1.2', { core: {}, interactions });
    api.Initialize('');
    assert.equal(api.SetValue('cmi.interactions.0.id', 'x'.repeat(256)), 'false');
    assert.equal(api.SetValue('cmi.interactions.1.id', 'q7'), 'true');
    assert.equal(api.SetValue('cmi.interactions.1.student_response', 'a'), 'true');
    api.Terminate('');
    api.Initialize('');
    assert.equal(api.SetValue('cmi.interactions.1.id', 'q7'), 'true');
    const stored = Object.values(sent().interactions as Record<string, Record<string, string>>);
    assert.deepEqual(
      stored.map(({ id, student_response: answer, result }) => [id, answer, result]),
      [
        ['q1', '', 'correct'],
        ['q7', 'a', ''],
      ],
    );
  });
});
