import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { register } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { launchUnit, xapiCourse } from './learner-helpers.ts';
import { type LrsClient, lrsClient, PASSED, reference, statement, VOIDED } from './lrs-helpers.ts';
import { COURSE, FILES } from './xapi-course-files.ts';

// Runs on SQLite in `npm test`: what a launch reaches is decided in the process. The tests of searches store statements
// of launches on both.

describe('a launch of the learning record store', () => {
  let service: TestService;
  let client: LrsClient;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    client = await lrsClient(service);
  });

  const open = async (learner = 'ann') =>
    xapiCourse(await launchUnit(service, (await registerTo(service, FILES, learner)).registrationId, COURSE));
  type Course = Awaited<ReturnType<typeof open>>;
  const passed = ({ actor, activity: object }: Course, members: object = {}) => ({
    actor,
    object,
    verb: PASSED,
    ...members,
  });
  const isFound = async (lrs: LrsClient, statementId: string) =>
    (await lrs.call('GET', 'statements', { query: { statementId } })).status === 200;

  test('does not void a statement that another launch stores later', async () => {
    const [ann, bob] = [await open(), await open('bob')];
    const id = randomUUID();
    await bob.lrs.store(passed(bob, { object: reference(id), verb: VOIDED }));
    await ann.lrs.store(passed(ann, { id }));
    assert.ok(await isFound(ann.lrs, id));
    assert.deepEqual(await bob.lrs.find({ activity: COURSE }), [], 'nor is it found by its contents');
  });

  test('does not find what an API client says about its statements', async () => {
    const ann = await open();
    const [id] = await ann.lrs.store(passed(ann));
    const [about] = await client.store(statement({ object: reference(id!) }));
    assert.deepEqual(await ann.lrs.find(), [id]);
    assert.ok((await client.find({ activity: COURSE })).includes(about!), 'others find it by the contents');
  });

  test('cannot store the statement of another registration of the same learner once more', async () => {
    const { registrationId, accountId, courseId } = await registerTo(service, FILES);
    const given = { account_id: accountId, course_id: courseId };
    const second = await register(service, given, 'ann@example.com');
    assert.notEqual(second.registration_id, registrationId);
    const one = xapiCourse(await launchUnit(service, registrationId, COURSE));
    const other = xapiCourse(await launchUnit(service, second.registration_id, COURSE));
    assert.deepEqual(other.actor, one.actor);
    const body = { ...passed(one), id: randomUUID(), timestamp: '2026-01-31T09:30:00Z' };
    await one.lrs.store(body);
    assert.equal((await other.lrs.call('POST', 'statements', { body })).status, 409);
  });

  test('stores no statement of a group that has the account of the learner', async () => {
    const ann = await open();
    const actor = { ...ann.actor, objectType: 'Group' };
    assert.equal((await ann.lrs.call('POST', 'statements', { body: passed(ann, { actor }) })).status, 403);
  });

  test('gives the learner no name that others read', async () => {
    const ann = await open();
    await ann.lrs.store(passed(ann, { actor: { ...ann.actor, name: 'Invented' } }));
    const { json } = await client.call('GET', 'agents', { query: { agent: JSON.stringify(ann.actor) } });
    assert.doesNotMatch(JSON.stringify(json), /Invented/);
  });
});
