import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registerTo } from '../support/registered-course.ts';
import { startTestService } from '../support/service.ts';
import { launchUnit, resultOf, xapiCourse } from './learner-helpers.ts';
import { COURSE, FILES, VERB } from './xapi-course-files.ts';

// Runs on SQLite in `npm test`: the version is read from a header. The tests of the limits of the learning record store
// launch xAPI courses on both.

test('a course that requests a version of Tin Can is refused, and the log names that version once per launch', async () => {
  await using service = await startTestService();
  const { registrationId } = await registerTo(service, FILES);
  const course = xapiCourse(await launchUnit(service, registrationId, COURSE));
  const about = { body: { actor: course.actor, verb: VERB('completed'), object: { id: COURSE } } };
  const lines = () =>
    service.logLines.filter((line) => line.class === 'Player' && line.registration_id === registrationId);
  for (const headers of [{ 'x-experience-api-version': '0.95' }, { 'x-experience-api-version': '0.9' }])
    assert.equal((await course.lrs.call('POST', 'statements', { ...about, headers })).status, 400);
  assert.deepEqual(
    lines().map(({ level, msg, xapi_version }) => [level, msg, xapi_version]),
    [['warn', 'requests of a course are refused, because their xAPI version is not supported', '0.95']],
  );
  assert.equal((await resultOf(service, registrationId)).completion, 'Unknown');
  const next = xapiCourse(await launchUnit(service, registrationId, COURSE));
  const query = { agent: JSON.stringify(next.actor), activityId: COURSE, stateId: 'resume' };
  const form = new URLSearchParams({
    ...query,
    authorization: next.lrs.authorization,
    'X-Experience-API-Version': 'a'.repeat(1_000),
  });
  const address = `${next.lrs.endpoint}/activities/state?method=GET`;
  assert.equal((await fetch(address, { method: 'POST', body: form })).status, 400);
  assert.deepEqual(
    lines().map(({ xapi_version }) => xapi_version),
    ['0.95', 'a'.repeat(20)],
  );
});
