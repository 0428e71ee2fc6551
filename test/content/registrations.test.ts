import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Package } from '../support/course-packages.ts';
import { openDatabaseOf } from '../support/database.ts';
import { MOMENT } from '../support/moment.ts';
import { beginTransaction, countWaiting } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { Api, createClient, requestToken, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { importCourse, problemErrors, uploadForm } from './packages.ts';
import {
  give,
  makeBundle,
  makeEquivalent,
  makeParties,
  register,
  takeAll,
  withoutUnits,
} from './registration-helpers.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NOWHERE = '00000000-0000-4000-8000-000000000000';

describe('registrations', () => {
  let service: TestService;
  let api: Api;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  const makeAccount = async (): Promise<number> => (await api.create('/accounts', { name: 'A' })).id;

  const skip = !ON_POSTGRES && 'SQLite runs one transaction after the other';
  it('are not made for a course that is being deleted', { skip }, async () => {
    const folder = (await api.create('/folders', { name: 'Held' })).id;
    const course = (await importCourse(service, { folder_id: String(folder) })).id;
    const account = await makeAccount();
    await give(service, account, 'FOLDER', folder);
    await using database = await openDatabaseOf(service.settings.data_dir);
    const deletion = await beginTransaction(database);
    for (const [table, column] of [
      ['course_versions', 'course_id'],
      ['courses', 'id'],
    ])
      await deletion.tx.run(`delete from ${table} where ${column} = ?`, course);
    let isMade = false;
    const made = api.post('/registrations', { account_id: account, course_id: course, learner_id: 'ann' });
    void made.then(() => {
      isMade = true;
    });
    try {
      await until(async () => isMade || (await countWaiting(database)) > 0, 'it waits for the deletion');
    } finally {
      await deletion.commit();
    }
    assert.deepEqual(Object.keys(problemErrors(await made, 400)), ['/course_id']);
  });

  it('start without a result, for the published version', async () => {
    const parties = await makeParties(service);
    await api.post(`/courses/${parties.course_id}/versions`, uploadForm(new Uint8Array(await cmi5Package())));
    const first = await api.post('/registrations', { ...parties, learner_id: 'ann' });
    assert.equal(first.status, 201);
    assert.equal(first.headers.get('location'), `/registrations/${first.body.registration_id}`);
    assert.equal(first.headers.get('etag'), '"1"');
    const { registration_id, created_dt, updated_dt, ...rest } = first.body;
    assert.match(registration_id, UUID);
    assert.match(created_dt, MOMENT);
    assert.equal(updated_dt, created_dt);
    assert.deepEqual(rest, {
      account_id: parties.account_id,
      course_id: parties.course_id,
      version_id: 0,
      equivalent_id: null,
      language: null,
      learner_id: 'ann',
      completion: 'Unknown',
      success: 'UNKNOWN',
      score: null,
      duration: 0,
      completion_dt: null,
      launched_dt: null,
    });

    await api.post(`/courses/${parties.course_id}/versions/1/publish`);
    assert.equal((await register(service, parties)).version_id, 1);
    const read = await api.get(`/registrations/${registration_id}`);
    assert.deepEqual([read.status, withoutUnits(read.body)], [200, first.body]);
    assert.equal(read.headers.get('etag'), '"1"');
  });

  it('can be created several times for one learner and one course', async () => {
    const parties = await makeParties(service);
    const [first, second] = [await register(service, parties), await register(service, parties)];
    assert.notEqual(first.registration_id, second.registration_id);
  });

  for (const [how, giveTo] of Object.entries({
    'through an equivalent': async (course: number, account: number) =>
      await give(service, account, 'EQUIVALENT', await makeEquivalent(service, course)),
    'through a bundle': async (course: number, account: number) =>
      await give(service, account, 'BUNDLE', await makeBundle(service, 'COURSE', course)),
    'through a bundle of an equivalent': async (course: number, account: number) =>
      await give(
        service,
        account,
        'BUNDLE',
        await makeBundle(service, 'EQUIVALENT', await makeEquivalent(service, course)),
      ),
  })) {
    it(`are created if the account has the course ${how}`, async () => {
      const parties = { account_id: await makeAccount(), course_id: (await importCourse(service)).id };
      await giveTo(parties.course_id, parties.account_id);
      await register(service, parties);
    });
  }

  it('are created if the account has a folder above the course', async () => {
    const outer = await api.create('/folders', { name: 'Outer' });
    const inner = await api.create('/folders', { name: 'Inner', parent_id: outer.id });
    const { id } = await importCourse(service, { folder_id: String(inner.id) });
    const accountId = await makeAccount();
    await give(service, accountId, 'FOLDER', outer.id);
    await register(service, { account_id: accountId, course_id: id });
  });

  it('are rejected if the account does not have the course or is disabled', async () => {
    const held = await makeParties(service);
    const other = await importCourse(service);
    const notHeld = await api.post('/registrations', {
      account_id: held.account_id,
      course_id: other.id,
      learner_id: 'ann',
    });
    problemErrors(notHeld, 409);
    assert.match(
      notHeld.body.detail,
      /^The account “Northwind” \(\d+\) does not have the course “[^”]+” \(\d+\)/,
    );

    await api.put(`/accounts/${held.account_id}`, { name: 'Northwind', enabled: false });
    const disabled = await api.post('/registrations', { ...held, learner_id: 'ann' });
    problemErrors(disabled, 409);
    assert.match(disabled.body.detail, /^The account “Northwind” \(\d+\) is disabled$/);
    assert.deepEqual((await api.get(`/registrations?account_id=${held.account_id}`)).body.data, []);
  });

  it('are rejected without names of content for a client that may not read content', async () => {
    const { clientId, clientSecret } = await createClient(service.settings.data_dir, {
      scopes: ['registrations:write'],
    });
    const writer = new Api(service.url, await requestToken(service.url, clientId, clientSecret));
    const parties = await makeParties(service, { account: 'Secret Customer', course: 'Secret Course' });
    const { registration_id: id } = await register(service, parties);
    const registerAgain = () => writer.post('/registrations', { ...parties, learner_id: 'ann' });
    await takeAll(service, parties.account_id);
    const refused = [await registerAgain(), await writer.post(`/registrations/${id}/launch`)];
    await api.put(`/accounts/${parties.account_id}`, { name: 'Secret Customer', enabled: false });
    refused.push(await registerAgain(), await writer.post(`/registrations/${id}/launch`));
    for (const answer of refused) {
      problemErrors(answer, 409);
      assert.match(answer.body.detail, new RegExp(`^The account ${parties.account_id} `));
      assert.doesNotMatch(JSON.stringify(answer.body), /Secret/);
    }
  });

  it('are rejected with both the account and the course named if neither exists', async () => {
    const answer = await api.post('/registrations', { account_id: 999, course_id: 998, learner_id: 'ann' });
    assert.deepEqual(problemErrors(answer, 400), {
      '/account_id': 'there is no account 999',
      '/course_id': 'there is no course 998',
    });
    const { account_id } = await makeParties(service);
    const noCourse = await api.post('/registrations', { account_id, course_id: 998, learner_id: 'ann' });
    assert.deepEqual(Object.keys(problemErrors(noCourse, 400)), ['/course_id']);
  });

  it('are rejected with every invalid member named', async () => {
    const answer = await api.post('/registrations', { account_id: '1', learner: 'x', learner_id: '' });
    assert.deepEqual(Object.keys(problemErrors(answer, 400)).sort(), [
      '/account_id',
      '/course_id',
      '/learner',
      '/learner_id',
    ]);
    const parties = await makeParties(service);
    // The result cannot be set on creation: members that would be ignored are refused.
    const early = await api.post('/registrations', { ...parties, learner_id: 'a', completion: 'Completed' });
    assert.deepEqual(Object.keys(problemErrors(early, 400)), ['/completion']);
  });

  it('accept learner ids of 1 to 255 characters without control characters', async () => {
    const parties = await makeParties(service);
    for (const learner of [
      'x',
      'ü'.repeat(255),
      '🦉'.repeat(255),
      ' Ann O’Hara <a@b.c> ',
      "'; drop table x",
    ]) {
      assert.equal((await register(service, parties, learner)).learner_id, learner);
    }
    for (const learner of ['', 'x'.repeat(256), 'a\nb', 'a\u0000b', 'a\u007fb', 5, null]) {
      const answer = await api.post('/registrations', { ...parties, learner_id: learner });
      assert.deepEqual(Object.keys(problemErrors(answer, 400)), ['/learner_id'], JSON.stringify(learner));
    }
  });

  it('are listed in order, page by page, by account, course and learner', async () => {
    const one = await makeParties(service);
    const two = await makeParties(service);
    await give(service, one.account_id, 'COURSE', two.course_id);
    const learner = 'list & filter?';
    const made = [
      await register(service, one, learner),
      await register(service, one, 'else'),
      await register(service, two, learner),
      await register(service, { ...one, course_id: two.course_id }, learner),
    ].map(({ registration_id }) => registration_id);
    const listed = async (query: Record<string, string | number>): Promise<number[]> => {
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const { status, body } = await api.get(`/registrations?${search}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data.map((each: { registration_id: string }) => made.indexOf(each.registration_id));
    };
    assert.deepEqual(await listed({ account_id: one.account_id }), [0, 1, 3]);
    assert.deepEqual(await listed({ course_id: two.course_id }), [2, 3]);
    assert.deepEqual(await listed({ learner_id: learner }), [0, 2, 3]);
    assert.deepEqual(await listed({ ...one, learner_id: 'else' }), [1]);
    assert.deepEqual(await listed({ account_id: 999_999 }), []);

    const first = await api.get(`/registrations?learner_id=${encodeURIComponent(learner)}&limit=2`);
    assert.equal(first.body.data.length, 2);
    const query = `learner_id=${encodeURIComponent(learner)}&limit=2&cursor=${first.body.next_cursor}`;
    const second = await api.get(`/registrations?${query}`);
    assert.deepEqual(
      [...first.body.data, ...second.body.data].map(({ registration_id }) => made.indexOf(registration_id)),
      [0, 2, 3],
    );
    assert.equal(second.body.next_cursor, null);
  });

  it('are not listed for an invalid filter', async () => {
    const wrong = {
      account_id: 'x',
      course_id: '0',
      learner_id: '%00',
      acount_id: '1',
      limit: '0',
      cursor: '!',
    };
    for (const [name, value] of Object.entries(wrong)) {
      const answer = await api.get(`/registrations?${name}=${value}`);
      assert.deepEqual(Object.keys(problemErrors(answer, 400)), [`/query/${name}`]);
    }
  });

  it('are found by their ids alone, ignoring case', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    assert.equal((await api.get(`/registrations/${id.toUpperCase()}`)).body.registration_id, id);
    for (const other of [NOWHERE, '1', `${id}0`, id.replaceAll('-', ''), '%00', "' or 1=1"]) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['DELETE', '', undefined],
        ['POST', '/launch', undefined],
        ['PUT', '/status', { completion: 'Unknown', success: 'UNKNOWN' }],
      ] as const) {
        problemErrors(await api.call(method, `/registrations/${encodeURI(other)}${path}`, body), 404);
      }
    }
  });

  it('are deleted with If-Match only if nobody changed them since they were read', async () => {
    const { registration_id: id } = await register(service, await makeParties(service));
    problemErrors(await api.delete(`/registrations/${id}`, { 'If-Match': '"2"' }), 412);
    assert.equal((await api.delete(`/registrations/${id}`, { 'If-Match': '"1"' })).status, 204);
    problemErrors(await api.get(`/registrations/${id}`), 404);
    problemErrors(await api.delete(`/registrations/${id}`), 404);
  });

  it('are created once for an Idempotency-Key', async () => {
    const parties = await makeParties(service);
    const key = { 'Idempotency-Key': 'registration' };
    const input = { ...parties, learner_id: 'ann' };
    const [first, second] = await Promise.all([
      api.post('/registrations', input, key),
      api.post('/registrations', input, key),
    ]);
    assert.deepEqual([first.status, second.status, second.body], [201, 201, first.body]);
    assert.equal((await api.get(`/registrations?account_id=${parties.account_id}`)).body.data.length, 1);
    problemErrors(await api.post('/registrations', { ...input, learner_id: 'bob' }, key), 422);
  });

  it('prevent the deletion of their course', async () => {
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    await takeAll(service, parties.account_id);
    const refused = await api.delete(`/courses/${parties.course_id}`);
    problemErrors(refused, 409);
    assert.match(refused.body.detail, /in use by registrations of learners/);
    await api.delete(`/registrations/${id}`);
    assert.equal((await api.delete(`/courses/${parties.course_id}`)).status, 204);
  });

  it('are read with content:read and changed with registrations:write', async () => {
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    const withScope = async (scope: string): Promise<Api> => {
      const { clientId, clientSecret } = await createClient(service.settings.data_dir, { scopes: [scope] });
      return new Api(service.url, await requestToken(service.url, clientId, clientSecret));
    };
    const [reader, writer, other] = await Promise.all(
      ['content:read', 'registrations:write', 'content:write'].map(withScope),
    );
    const reads = [`/registrations`, `/registrations/${id}`];
    const changes = [
      ['POST', '/registrations', { ...parties, learner_id: 'x' }, 201],
      ['POST', `/registrations/${id}/launch`, undefined, 200],
      ['PUT', `/registrations/${id}/status`, { completion: 'Unknown', success: 'UNKNOWN' }, 200],
      ['DELETE', `/registrations/${id}`, undefined, 204],
    ] as const;
    for (const path of reads) {
      problemErrors(await writer!.get(path), 403);
      problemErrors(await other!.get(path), 403);
      assert.equal((await reader!.get(path)).status, 200);
    }
    for (const [method, path, body, status] of changes) {
      problemErrors(await reader!.call(method, path, body), 403);
      problemErrors(await other!.call(method, path, body), 403);
      assert.equal((await writer!.call(method, path, body)).status, status, path);
    }
  });
});
