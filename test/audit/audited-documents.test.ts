import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { AuditEntryRecord } from '../../src/audit/audit-schemas.ts';
import { Unit } from '../player/cmi5-helpers.ts';
import { launchUnit } from '../player/learner-helpers.ts';
import { type LrsCall, type LrsClient, lrsClient } from '../player/lrs-helpers.ts';
import {
  ADMIN_EMAIL,
  type Browser,
  createAdministrator,
  signedInBrowser,
} from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

const UNIT = 'https://example.com/one';
const LEARNER = 'ann@example.com';

describe('the audit log, about documents of courses', () => {
  let service: TestService;
  let client: LrsClient;
  let ann: Browser;
  let registrationId: string;
  let accountId: number;
  let unit: Unit;
  /** The newest entry before the test. */
  let newest: number;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    client = await lrsClient(service);
    await createAdministrator(service.settings.data_dir);
    ann = await signedInBrowser(service.url);
  });
  beforeEach(async () => {
    ({ registrationId, accountId } = await registerTo(service, cmi5Course([{ id: UNIT }]), LEARNER));
    unit = await Unit.start(await launchUnit(service, registrationId, UNIT));
    await unit.send(unit.initialized());
    newest = (await service.api.get('/audit-log?limit=1')).body.data[0]?.id ?? 0;
  });

  const agent = () => JSON.stringify(unit.actor);
  const state = (stateId?: string) => ({
    activityId: unit.activityId,
    agent: agent(),
    registration: unit.registration,
    ...(stateId === undefined ? {} : { stateId }),
  });
  const profile = () => ({ agent: agent(), profileId: 'p' });
  const call = async (by: LrsClient, method: string, resource: string, made: LrsCall) => {
    const { status, text } = await by.call(method, resource, made);
    assert.equal(status, 204, text);
  };
  const put = (by: LrsClient, stateId: string, body: object) =>
    call(by, 'PUT', 'activities/state', { query: state(stateId), body });
  const remove = (by: LrsClient, stateId?: string) =>
    call(by, 'DELETE', 'activities/state', { query: state(stateId) });

  /** The entries that the test has caused, oldest first. */
  async function recorded(query = '') {
    const { status, body } = await service.api.get(`/audit-log?limit=200${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data
      .filter(({ id }: AuditEntryRecord) => id > newest)
      .reverse()
      .map(({ action, actor, object, details }: AuditEntryRecord) => ({
        action,
        by: actor.type,
        object: [object.type, object.id, object.name],
        details,
      }));
  }
  const registration = () => ['REGISTRATION', registrationId, LEARNER];

  it('has a state that an API client replaces or merges, and deletes', async () => {
    await put(unit.lrs, 'bookmark', { page: 7 });
    await put(client, 'bookmark', { page: 1 });
    await call(client, 'POST', 'activities/state', { query: state('bookmark'), body: { page: 2 } });
    await remove(client, 'bookmark');
    const details = { activity_id: unit.activityId, document_id: 'bookmark' };
    const entry = { by: 'API_CLIENT', object: registration(), details };
    assert.deepEqual(await recorded(`&object_type=REGISTRATION&object_id=${registrationId}`), [
      { action: 'STATE_CHANGED', ...entry },
      { action: 'STATE_CHANGED', ...entry },
      { action: 'STATES_DELETED', ...entry },
    ]);
  });

  it('has a state of which an API client changes only the media type, but none that is sent again unchanged', async () => {
    await put(unit.lrs, 'bookmark', { page: 7 });
    await put(client, 'bookmark', { page: 7 });
    assert.deepEqual(await recorded(), []);
    const headers = { 'content-type': 'text/plain' };
    await call(client, 'PUT', 'activities/state', { query: state('bookmark'), body: { page: 7 }, headers });
    const [entry, ...others] = await recorded();
    assert.deepEqual([entry.action, entry.object, others], ['STATE_CHANGED', registration(), []]);
  });

  it('has one entry for all states that a call deletes', async () => {
    for (const id of ['a', 'b', 'c']) await put(unit.lrs, id, {});
    await put(client, 'of the client', {});
    await remove(client);
    assert.deepEqual(await recorded(), [
      {
        action: 'STATES_DELETED',
        by: 'API_CLIENT',
        object: registration(),
        details: { activity_id: unit.activityId, documents: 3 },
      },
    ]);
  });

  it('has the profile of a learner', async () => {
    const made = { query: profile(), headers: { 'if-none-match': '*' }, body: { a: 1 } };
    await call(unit.lrs, 'PUT', 'agents/profile', made);
    await call(client, 'POST', 'agents/profile', { query: profile(), body: { a: 2 } });
    await call(client, 'DELETE', 'agents/profile', { query: profile() });
    const details = { account_id: accountId, document_id: 'p' };
    const entry = { by: 'API_CLIENT', object: ['LEARNER', LEARNER, null], details };
    assert.deepEqual(await recorded(`&object_type=LEARNER&object_id=${LEARNER}`), [
      { action: 'PROFILE_CHANGED', ...entry },
      { action: 'PROFILE_DELETED', ...entry },
    ]);
  });

  it('has the person who did it, and the client of an access token', async () => {
    await put(unit.lrs, 'a', {});
    await put(unit.lrs, 'b', {});
    const path = (id: string) => `/xapi/activities/state?${new URLSearchParams(state(id))}`;
    ann.headers = { 'x-experience-api-version': '1.0.3' };
    assert.equal((await ann.delete(path('a'))).status, 204);
    const headers = { authorization: `Bearer ${service.api.token}`, 'x-experience-api-version': '1.0.3' };
    assert.equal((await fetch(service.url + path('b'), { method: 'DELETE', headers })).status, 204);
    const { body } = await service.api.get('/audit-log?limit=2&action=STATES_DELETED');
    const [byClient, byAnn] = body.data.map(({ actor }: AuditEntryRecord) => actor);
    assert.deepEqual([byClient.type, byClient.address], ['API_CLIENT', '127.0.0.1']);
    assert.deepEqual([byAnn.type, byAnn.user, byAnn.address], ['ADMINISTRATOR', ADMIN_EMAIL, '127.0.0.1']);
  });

  it('has a state that a client stored before the course did', async () => {
    await put(client, 'bookmark', { page: 1 });
    await put(unit.lrs, 'bookmark', { page: 7 });
    assert.deepEqual(await recorded(), []);
    await remove(client, 'bookmark');
    assert.equal((await recorded()).length, 1);
  });

  it('has nothing that courses do, that changes nothing, or that concerns documents of clients', async () => {
    await put(unit.lrs, 'bookmark', { page: 7 });
    await put(unit.lrs, 'bookmark', { page: 8 });
    await put(client, 'bookmark', { page: 8 });
    await remove(client, 'missing');
    await put(client, 'own', { page: 1 });
    await put(client, 'own', { page: 2 });
    await remove(client, 'own');
    await remove(unit.lrs);
    await remove(client);
    assert.deepEqual(await recorded(), []);
  });
});
