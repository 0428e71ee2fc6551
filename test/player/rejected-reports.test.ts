import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { type Cmi5Unit, cmi5Course } from '../support/cmi5-course.ts';
import { startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { MASTERY_SCORE, Unit } from './cmi5-helpers.ts';
import { launchUnit } from './learner-helpers.ts';

// Runs on SQLite in `npm test`: reports are rejected before anything is stored.

const ONE = 'https://example.com/course/one';

describe('a report that is rejected', () => {
  let service: TestService;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const open = async (unit: Cmi5Unit) => {
    const { registrationId, courseId } = await registerTo(service, cmi5Course([unit]));
    return {
      registrationId,
      courseId,
      course: await Unit.start(await launchUnit(service, registrationId, ONE)),
    };
  };
  const linesOf = (registrationId: string) =>
    service.logLines.filter((line) => line.class === 'Player' && line.registration_id === registrationId);

  test('is in the log with its reason, once per launch, since the learner can only say that one was rejected', async () => {
    const { registrationId, courseId, course } = await open({ id: ONE, masteryScore: '0.8' });
    const { context, ...passed } = course.passed(0.9) as { context: { extensions: object } };
    const { [MASTERY_SCORE]: _, ...extensions } = context.extensions as Record<string, unknown>;
    const without = { ...passed, context: { ...context, extensions } };
    assert.deepEqual(
      await course.send(
        course.initialized(),
        without,
        without,
        course.statement('passed', { success: false }),
      ),
      [200, 403, 403, 403],
    );
    const line = {
      level: 'warn',
      class: 'Player',
      registration_id: registrationId,
      course_id: courseId,
      path: '/:token/xapi/*',
      msg: 'a report of a course was rejected',
    };
    assert.deepEqual(
      linesOf(registrationId).map(({ time: _, ...fields }) => fields),
      [
        { ...line, reason: 'cmi5: The context must contain the mastery score (9.6.3.2)' },
        { ...line, reason: 'cmi5: The success in the result does not match the verb (9.5.2)' },
      ],
    );
  });

  test('is in the log if the player sends it for a SCORM course', async () => {
    const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
    const half = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`k${n}`, 1]));
    const add = async (cmi: object) => (await client.commit('i1', cmi, { isChange: true })).status;
    assert.deepEqual([await add({ a: half }), await add({ b: half })], [200, 413]);
    assert.deepEqual(
      linesOf(registrationId).map(({ path, reason }) => [path, reason]),
      [['/:token/commit', 'A data model has at most 50000 members and items']],
    );
  });

  test('is not in the log if nothing is missing, or if the page itself says why it records nothing', async () => {
    const { registrationId, course } = await open({ id: ONE });
    const agent = JSON.stringify(course.actor);
    const query = { activityId: course.activityId, agent, stateId: 'bookmark' };
    await course.send(course.initialized(), course.completed());
    const repeated = await course.send(course.completed());
    const stored = await course.lrs.call('PUT', 'activities/state', { query, body: 'a' });
    const changed = await course.lrs.call('PUT', 'activities/state', {
      query,
      body: 'b',
      headers: { 'if-none-match': '*' },
    });
    assert.deepEqual([...repeated, stored.status, changed.status], [403, 204, 412]);
    await launchUnit(service, registrationId, ONE);
    const superseded = await course.send(course.passed());
    await service.api.post(`/registrations/${registrationId}/reset`);
    const ended = await course.send(course.terminated());
    assert.deepEqual([...superseded, ...ended], [403, 403]);
    assert.deepEqual(linesOf(registrationId), []);
  });

  test('cannot fill the log, however many reasons there are', async () => {
    const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
    const members = ['page', 'visit', 'sequence', 'elapsedMs', 'terminated', 'lateOf', 'cmi'];
    for (const each of [...members, ...members])
      assert.equal((await client.commit('i1', {}, { [each]: 'x' })).status, 400);
    assert.deepEqual(
      linesOf(registrationId).map(({ reason }) => reason),
      [
        '/page must be integer',
        '/visit must be integer',
        '/sequence must be integer',
        '/elapsedMs must be number',
        '/terminated must be boolean',
      ],
    );
  });
});
