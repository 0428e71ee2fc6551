import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { ActivityBranches } from '../../src/player/lrs/activity-branches.ts';
import { DocumentService } from '../../src/player/lrs/documents/document-service.ts';
import type { LrsScope } from '../../src/player/lrs/lrs-scope.ts';
import { register } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { openDatabaseOf } from '../support/database.ts';
import { startLaunch } from '../support/player-client.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { Unit } from './cmi5-helpers.ts';
import { launchUnit, xapiCourse } from './learner-helpers.ts';
import { lrsClient } from './lrs-helpers.ts';

const COURSE = 'https://example.com/courses/golf';
const FILES = {
  'tincan.xml': `<?xml version="1.0"?>
    <tincan xmlns="http://projecttincan.com/tincan.xsd"><activities>
    <activity id="${COURSE}"><name>Golf</name><launch>start.html</launch></activity></activities></tincan>`,
  'start.html': '<!doctype html><title>Golf</title>',
};
const MAX_DOCUMENTS = 5_000;
const MAX_STATEMENT_BYTES = 1_073_741_824;
const LAUNCH_PARAMETERS = 'https://w3id.org/xapi/cmi5/context/extensions/launchparameters';
const LIMIT_REACHED = 'urn:coursewire:problem:limit-reached';

/** Stores copies of the only document of this id until there are `count` of them. */
async function copyDocument(database: Database, id: string, count: number): Promise<void> {
  await database.transaction(async (tx) => {
    const [row] = await tx.all<Record<string, string | number | null>>(
      'select * from lrs_documents where document_id = ?',
      id,
    );
    assert.ok(row !== undefined);
    const copies = Array.from({ length: count - 1 }, (_, at) =>
      Object.values({ ...row, document_key: randomUUID(), document_id: `${id}-${at}` }),
    );
    await tx.insertMany('lrs_documents', Object.keys(row), copies);
  });
}

describe('the records of a course', () => {
  let service: TestService;
  let database: Database;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    database = parts.use(await openDatabaseOf(service.settings.data_dir));
  });

  const reopen = async (registrationId: string) =>
    xapiCourse(await launchUnit(service, registrationId, COURSE));
  const open = async (learner: string) => {
    const registered = await registerTo(service, FILES, learner);
    return { ...registered, course: await reopen(registered.registrationId) };
  };
  type Course = Awaited<ReturnType<typeof reopen>>;
  const putState = ({ lrs, activity, actor }: Course, stateId: string, body: unknown = {}) =>
    lrs.call('PUT', 'activities/state', {
      query: { activityId: activity.id, agent: JSON.stringify(actor), stateId },
      body,
    });
  const mergeState = ({ lrs, activity, actor }: Course, stateId: string, body: unknown) =>
    lrs.call('POST', 'activities/state', {
      query: { activityId: activity.id, agent: JSON.stringify(actor), stateId },
      body,
    });
  const putProfile = ({ lrs, actor }: Course, profileId: string) =>
    lrs.call('PUT', 'agents/profile', {
      query: { agent: JSON.stringify(actor), profileId },
      body: {},
      headers: { 'if-none-match': '*' },
    });

  test('have at most 5,000 states per attempt; each of them can still be replaced or deleted', async () => {
    const { registrationId, course } = await open('ann');
    const first = randomUUID();
    await putState(course, first);
    await copyDocument(database, first, MAX_DOCUMENTS - 1);
    const last = await Promise.all(['x', 'y', 'z'].map((id) => putState(course, id)));
    assert.deepEqual(last.map(({ status }) => status).sort(), [204, 409, 409]);
    const { json } = last.find(({ status }) => status === 409)!;
    assert.deepEqual([json.type, json.detail], [LIMIT_REACHED, 'An attempt has at most 5000 states']);
    assert.equal((await putState(course, first, { page: 2 })).status, 204);
    const query = { activityId: COURSE, agent: JSON.stringify(course.actor), stateId: first };
    assert.equal((await course.lrs.call('DELETE', 'activities/state', { query })).status, 204);
    assert.equal((await putState(course, 'after')).status, 204);
    const all = await lrsClient(service);
    assert.equal((await putState({ ...course, lrs: all }, 'of an API client')).status, 204);

    await service.api.post(`/registrations/${registrationId}/reset`);
    assert.equal((await putState(await reopen(registrationId), 'first of the new attempt')).status, 204);
  });

  test('can still grow where an earlier release stored more than 5,000 documents', async () => {
    const { course } = await open('old');
    const bookmark = randomUUID();
    await putState(course, bookmark, { page: 9 });
    await copyDocument(database, bookmark, MAX_DOCUMENTS + 10);
    assert.equal((await putState(course, bookmark, { page: 10 })).status, 204);
    assert.equal((await mergeState(course, bookmark, { score: 1 })).status, 204);
    const { status, json } = await putState(course, 'further');
    assert.deepEqual([status, json.type], [409, LIMIT_REACHED]);
  });

  test('have at most 5,000 profiles per learner, also of several courses at once', async () => {
    const learner = randomUUID();
    const one = await open(learner);
    const { account_id, course_id } = (await service.api.get(`/registrations/${one.registrationId}`)).body;
    const second = await register(service, { account_id, course_id }, learner);
    const other = await reopen(second.registration_id);
    const first = randomUUID();
    assert.equal((await putProfile(one.course, first)).status, 204);
    await copyDocument(database, first, MAX_DOCUMENTS - 1);
    const last = await Promise.all([putProfile(one.course, 'x'), putProfile(other, 'y')]);
    assert.deepEqual(last.map(({ status }) => status).sort(), [204, 409]);
    const { json } = last.find(({ status }) => status === 409)!;
    assert.equal(json.detail, 'A learner has at most 5000 profiles');
    assert.equal((await putState(other, 'state')).status, 204);
    const { course: ofOtherAccount } = await open(learner);
    assert.equal((await putProfile(ofOtherAccount, 'z')).status, 204);
  });

  test('have at most 5,000 activity profiles per registration, over all attempts', async () => {
    const { registrationId, course } = await open('activity-profiles');
    const putActivityProfile = ({ lrs, activity }: Course, profileId: string) =>
      lrs.call('PUT', 'activities/profile', {
        query: { activityId: activity.id, profileId },
        body: {},
        headers: { 'if-none-match': '*' },
      });
    const first = randomUUID();
    assert.equal((await putActivityProfile(course, first)).status, 204);
    await copyDocument(database, first, MAX_DOCUMENTS);
    await service.api.post(`/registrations/${registrationId}/reset`);
    const again = await reopen(registrationId);
    const { status, json } = await putActivityProfile(again, 'further');
    assert.deepEqual(
      [status, json.type, json.detail],
      [409, LIMIT_REACHED, 'A registration has at most 5000 activity profiles'],
    );
    assert.equal((await putState(again, 'state')).status, 204);
  });

  test('have documents of a limited size together', async () => {
    const { registrationId, accountId, course } = await open('size');
    const documents = new DocumentService({
      database,
      now: Date.now,
      limits: { maxCount: 10, maxBytes: 99 },
    });
    const learner = { accountId, learnerId: 'size' };
    const scope: LrsScope = {
      ...{ authority: {}, by: null, mayRead: true, mayWrite: true, path: '' },
      launch: {
        ...{ registrationId, registration: course.registration, actor: course.actor },
        ...{ activities: [new ActivityBranches([COURSE])], givenStates: new Map(), keepsDocuments: true },
        transaction: (work) =>
          database.transaction((tx) =>
            work(tx, { learner, assertOpen() {}, admit() {}, stored() {}, spend: () => Promise.resolve() }),
          ),
      },
    };
    const put = (id: string, bytes: number) =>
      documents.write(scope, {
        collection: { kind: 'state', activityId: COURSE, agent: course.actor, registration: null },
        id,
        contentType: 'text/plain',
        content: Buffer.alloc(bytes),
        conditions: { ifMatch: undefined, ifNoneMatch: undefined },
        need: 'none',
        merges: false,
      });
    await put('a', 60);
    await put('b', 39);
    for (const [id, bytes] of [
      ['c', 1],
      ['b', 42],
    ] as const) {
      await assert.rejects(
        put(id, bytes),
        { code: 'limit-reached', message: 'An attempt has at most 99 bytes of states' },
        `${id} ${bytes}`,
      );
    }
    await put('b', 39);
    await put('a', 57);
    await put('c', 3);
  });

  test('have long launch parameters only in the statements of the service, which count', async () => {
    const unit = { id: `${COURSE}/one`, launchParameters: 'x'.repeat(100_000) };
    const { registrationId } = await registerTo(service, cmi5Course([unit]), 'parameters');
    const openUnit = async () => await launchUnit(service, registrationId, unit.id);
    const { launchData } = await Unit.start(await openUnit());
    assert.equal(launchData.launchParameters, unit.launchParameters);
    const [session] = await database.reader.all<{ launch_data: string }>(
      'select launch_data from player_sessions where registration_id = ?',
      registrationId,
    );
    assert.ok(session!.launch_data.length < 1_000, `${session!.launch_data.length} characters are stored`);
    await database.transaction((tx) =>
      tx.run(
        'update player_attempts set statement_bytes = ? where registration_id = ?',
        MAX_STATEMENT_BYTES - 150_000,
        registrationId,
      ),
    );
    await openUnit();
    const client = await startLaunch(service, registrationId);
    await client.open();
    const { status, body } = await client.askForUnit(unit.id);
    assert.deepEqual([status, body.type], [409, LIMIT_REACHED], JSON.stringify(body));
  });

  test('have launch parameters that are longer than a statement of a client may be', async () => {
    const unit = { id: `${COURSE}/one`, launchParameters: 'x'.repeat(300_000) };
    const { registrationId } = await registerTo(service, cmi5Course([unit]), 'long parameters');
    const opened = await Unit.start(await launchUnit(service, registrationId, unit.id));
    assert.equal(opened.launchData.launchParameters, unit.launchParameters);
    const [launched] = await opened.lrs.statementsOf(opened.registration);
    assert.equal(launched.context.extensions[LAUNCH_PARAMETERS], unit.launchParameters);
    const large = { ...opened.initialized(), result: { response: unit.launchParameters } };
    assert.deepEqual(await opened.send(large, opened.initialized()), [413, 200]);
  });

  test('have at most 1 GiB of statements per attempt', async () => {
    const { registrationId, course } = await open('statements');
    const send = ({ lrs, actor, activity: object }: Course, length: number, id = randomUUID()) =>
      lrs.call('POST', 'statements', {
        body: [
          {
            ...{ id, actor, object, verb: { id: 'http://adlnet.gov/expapi/verbs/experienced' } },
            result: { response: 'x'.repeat(length) },
          },
        ],
      });
    const stored = randomUUID();
    assert.equal((await send(course, 10_000, stored)).status, 200);
    const [{ bytes } = { bytes: 0 }] = await database.reader.all<{ bytes: number }>(
      'select statement_bytes as bytes from player_attempts where registration_id = ?',
      registrationId,
    );
    assert.ok(bytes > 10_000 && bytes < 15_000, String(bytes));
    await database.transaction((tx) =>
      tx.run(
        'update player_attempts set statement_bytes = ? where registration_id = ?',
        MAX_STATEMENT_BYTES - 15_000,
        registrationId,
      ),
    );
    const refused = await send(course, 20_000);
    assert.deepEqual([refused.status, refused.json.type], [409, LIMIT_REACHED], refused.text);
    const last = await Promise.all([send(course, 10_000), send(course, 10_000)]);
    assert.deepEqual(last.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await send(course, 10_000, stored)).status, 200, 'it was stored before');

    await service.api.post(`/registrations/${registrationId}/reset`);
    assert.equal((await send(await reopen(registrationId), 20_000)).status, 200);
  });
});
