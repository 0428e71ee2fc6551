import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { registerTo } from '../support/registered-course.ts';
import { startTestService } from '../support/service.ts';
import { launchUnit, resultOf, xapiCourse } from './learner-helpers.ts';
import { ANN, activity, BOB, openStore, statement, VERSION_2 } from './lrs-helpers.ts';
import { COURSE, FILES, VERB } from './xapi-course-files.ts';

// Runs on SQLite in `npm test`: the version is read from a header. The tests of the limits of the learning record store
// launch xAPI courses on both.

test('a course that requests a version of Tin Can is refused, and the log names that version once per launch', async () => {
  await using service = await startTestService();
  const { registrationId } = await registerTo(service, FILES);
  const course = xapiCourse(await launchUnit(service, registrationId, COURSE));
  const about = { body: { actor: course.actor, verb: VERB('completed'), object: { id: COURSE } } };
  const lines = () =>
    service.logLines.filter((line) => 'xapi_version' in line && line.registration_id === registrationId);
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

test('agents and groups in a context of xAPI 2.0 are returned as identifiers, and may have other names on repeat', async () => {
  await using parts = new AsyncDisposableStack();
  const { lrs } = await openStore(parts);
  const headers = VERSION_2;
  const relevantTypes = [activity('type').id];
  const sent = (id: string, name: string) => ({
    ...statement({ id }),
    context: {
      contextAgents: [
        { objectType: 'contextAgent', agent: { objectType: 'Agent', ...ANN, name }, relevantTypes },
      ],
      contextGroups: [
        { objectType: 'contextGroup', group: { objectType: 'Group', name, member: [{ ...BOB, name }] } },
      ],
    },
  });
  const id = randomUUID();
  for (const name of ['Ann', 'Anna']) {
    const reply = await lrs.call('POST', 'statements', { body: sent(id, name), headers });
    assert.equal(reply.status, 200, reply.text);
  }
  const query = { statementId: id, format: 'ids' };
  assert.deepEqual((await lrs.call('GET', 'statements', { query, headers })).json.context, {
    contextAgents: [{ objectType: 'contextAgent', agent: { objectType: 'Agent', ...ANN }, relevantTypes }],
    contextGroups: [
      {
        objectType: 'contextGroup',
        group: { objectType: 'Group', member: [{ objectType: 'Agent', ...BOB }] },
      },
    ],
  });
});
