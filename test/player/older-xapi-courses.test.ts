import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { launchUnit, resultOf, xapiCourse } from './learner-helpers.ts';
import { COURSE, FILES, VERB } from './xapi-course-files.ts';

// Runs on SQLite in `npm test`: the requests are read before anything is stored. The tests of statements and documents cover both databases.

describe('an xAPI course of an older authoring tool', () => {
  let service: TestService;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const reopen = async (registrationId: string) =>
    xapiCourse(await launchUnit(service, registrationId, COURSE));
  const open = async () => {
    const { registrationId } = await registerTo(service, FILES);
    return { registrationId, course: await reopen(registrationId) };
  };

  test('is passed by a form that the browser labels as plain text', async () => {
    const { registrationId, course } = await open();
    const { actor, activity: object, lrs } = course;
    const form = new URLSearchParams({
      Authorization: lrs.authorization,
      'X-Experience-API-Version': '1.0.1',
      statementId: randomUUID(),
      content: JSON.stringify({ actor, object, verb: VERB('passed') }),
    });
    const url = `${lrs.endpoint}/statements?method=PUT`;
    const { status } = await fetch(url, { method: 'POST', body: form.toString() });
    assert.equal(status, 204);
    assert.equal((await resultOf(service, registrationId)).success, 'PASS');
  });

  test('resumes with a bookmark that it labels as JSON although it is not', async () => {
    const { registrationId, course } = await open();
    const bookmark = '2C1~2w1cb101001A0~';
    const query = ({ actor, activity }: typeof course) => ({
      activityId: activity.id,
      agent: JSON.stringify(actor),
      stateId: 'bookmark',
    });
    const put = await course.lrs.call('PUT', 'activities/state', { query: query(course), body: bookmark });
    assert.equal(put.status, 204, put.text);
    const later = await reopen(registrationId);
    const { status, text } = await later.lrs.call('GET', 'activities/state', { query: query(later) });
    assert.deepEqual([status, text], [200, bookmark]);
  });

  test('may repeat the parameters of its own address in each request, but no others', async () => {
    const { registrationId, course } = await open();
    const { actor, activity: object, lrs } = course;
    const agent = JSON.stringify(actor);
    const put = async (repeated: Record<string, string>) => {
      const query = { statementId: randomUUID(), ...repeated };
      return await lrs.call('PUT', 'statements', { query, body: { actor, object, verb: VERB('passed') } });
    };
    const refused = await put({ b: '1' });
    assert.deepEqual(refused.json.errors, [{ pointer: '/query/b', detail: 'is not a known member' }]);
    assert.equal((await put({ fetch: 'x' })).status, 400, 'only cmi5 has it');
    assert.equal((await resultOf(service, registrationId)).success, 'UNKNOWN');
    assert.equal((await put({ a: '1' })).status, 204);
    assert.equal((await resultOf(service, registrationId)).success, 'PASS');
    const a = '1';
    for (const [resource, query] of [
      ['statements', {}],
      ['activities', { activityId: object.id }],
      ['activities/state', { activityId: object.id, agent }],
      ['agents', { agent }],
    ] as const)
      assert.equal((await lrs.call('GET', resource, { query: { ...query, a } })).status, 200, resource);
  });
});
