import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '../../../src/audit/actor.ts';
import { ClientService } from '../../../src/identity/clients/client-service.ts';
import { type Browser, createAdministrator, signedInBrowser } from '../../support/administration.ts';
import { aroundTests } from '../../support/around-tests.ts';
import { openDatabaseOf } from '../../support/database.ts';
import { Api, requestToken, startTestService, type TestService } from '../../support/service.ts';

const INPUT = { name: 'Exporter', email: 'ops@example.com', scopes: ['webhooks:read', 'content:read'] };

/** All rows about idempotency in the database. */
async function keptAnswers(service: TestService): Promise<string> {
  await using database = await openDatabaseOf(service.settings.data_dir);
  return JSON.stringify(await database.reader.all('select * from idempotency_keys'));
}

describe('API clients in the admin UI', () => {
  let service: TestService;
  let admin: Browser;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    await createAdministrator(service.settings.data_dir);
    admin = await signedInBrowser(service.url);
  });

  const create = async () => {
    const answer = await admin.post('/ui/api/clients', INPUT);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  };

  test('are created with a secret that is returned once', async () => {
    const made = await create();
    const { client_secret: secret, ...record } = made;
    assert.deepEqual(record, {
      client_id: made.client_id,
      name: 'Exporter',
      email: 'ops@example.com',
      scopes: ['content:read', 'webhooks:read'],
      enabled: true,
      created_dt: made.created_dt,
      last_used_dt: null,
    });
    const api = new Api(service.url, await requestToken(service.url, made.client_id, secret));
    assert.equal((await api.get('/webhooks')).status, 200);
    const list = await admin.get('/ui/api/clients');
    const listed = list.body.data.find((client: typeof made) => client.client_id === made.client_id);
    assert.deepEqual(listed, { ...record, last_used_dt: listed.last_used_dt });
    assert.ok(Date.parse(listed.last_used_dt) >= Date.parse(made.created_dt));
    assert.ok(!JSON.stringify([list.body, service.logLines]).includes(secret));
  });

  test('lose a scope even in tokens that were issued before', async () => {
    const made = await create();
    const api = new Api(service.url, await requestToken(service.url, made.client_id, made.client_secret));
    const changed = await admin.put(`/ui/api/clients/${made.client_id}`, {
      name: 'Renamed',
      email: 'new@example.com',
      scopes: ['content:read'],
      enabled: true,
    });
    assert.deepEqual(
      [changed.body.name, changed.body.email, changed.body.scopes],
      ['Renamed', 'new@example.com', ['content:read']],
    );
    assert.equal((await api.get('/webhooks')).status, 403);
    assert.equal((await api.get('/accounts')).status, 200, 'the token is still valid');
  });

  test('get no token while they are disabled, and their earlier tokens end for good', async () => {
    const { client_id: id, client_secret: secret } = await create();
    const api = new Api(service.url, await requestToken(service.url, id, secret));
    const change = { ...INPUT, enabled: false };
    assert.equal((await admin.put(`/ui/api/clients/${id}`, change)).body.enabled, false);
    assert.equal((await api.get('/webhooks')).status, 401);
    await assert.rejects(requestToken(service.url, id, secret));
    await admin.put(`/ui/api/clients/${id}`, { ...change, enabled: true });
    assert.equal((await api.get('/webhooks')).status, 401);
    await requestToken(service.url, id, secret);
  });

  test('can get a new secret, which ends the former one and its tokens', async () => {
    const { client_id: id, client_secret: secret } = await create();
    const api = new Api(service.url, await requestToken(service.url, id, secret));
    const renewed = await admin.post(`/ui/api/clients/${id}/secret`);
    assert.equal(renewed.status, 200);
    assert.notEqual(renewed.body.client_secret, secret);
    await assert.rejects(requestToken(service.url, id, secret));
    assert.equal((await api.get('/webhooks')).status, 401);
    await requestToken(service.url, id, renewed.body.client_secret);
  });

  test('are deleted with their tokens', async () => {
    const { client_id: id, client_secret: secret } = await create();
    const api = new Api(service.url, await requestToken(service.url, id, secret));
    assert.equal((await admin.delete(`/ui/api/clients/${id}`)).status, 204);
    assert.equal((await api.get('/webhooks')).status, 401);
  });

  test('that do not exist get 404, whatever the id', async () => {
    const change = { ...INPUT, enabled: true };
    for (const id of ['cw_000000000000000000000000', 'x', '%00', '%C3%A9']) {
      const path = `/ui/api/clients/${id}`;
      assert.equal((await admin.get(path)).status, 404, id);
      assert.equal((await admin.put(path, change)).status, 404, id);
      assert.equal((await admin.post(`${path}/secret`)).status, 404, id);
      assert.equal((await admin.delete(path)).status, 404, id);
    }
  });

  test('are rejected with malformed members named', async () => {
    for (const [body, pointers] of [
      [{}, ['/name', '/email', '/scopes']],
      [{ ...INPUT, name: ' ', email: 'x' }, ['/name', '/email']],
      [{ ...INPUT, scopes: ['admin'] }, ['/scopes/0']],
      [{ ...INPUT, scopes: ['content:read', 'content:read'] }, ['/scopes']],
      [{ ...INPUT, client_secret: 'x' }, ['/client_secret']],
      [{ name: ' ', email: 'x', scopes: ['admin'] }, ['/scopes/0', '/name', '/email']],
    ] as const) {
      const answer = await admin.post('/ui/api/clients', body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.deepEqual(
        answer.body.errors.map((error: { pointer: string }) => error.pointer),
        pointers,
      );
    }
  });
});

describe('a change of an API client', () => {
  const RECORD = { ...INPUT, enabled: true };
  let service: TestService;
  let admin: Browser;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    await createAdministrator(service.settings.data_dir);
    admin = await signedInBrowser(service.url);
  });

  const create = async () => (await admin.post('/ui/api/clients', INPUT)).body.client_id as string;
  const tagOf = async (id: string) => (await admin.get(`/ui/api/clients/${id}`)).headers.get('etag') ?? '';
  const change = (id: string, body: object, ifMatch: string) =>
    admin.call('PUT', `/ui/api/clients/${id}`, body, { 'if-match': ifMatch });

  test('is rejected if someone else has changed it since it was read', async () => {
    const id = await create();
    const read = await tagOf(id);
    const theirs = await change(id, { ...RECORD, name: 'Theirs' }, read);
    assert.equal(theirs.status, 200);
    assert.equal(theirs.headers.get('etag'), await tagOf(id));
    const mine = await change(id, { ...RECORD, name: 'Mine' }, read);
    assert.deepEqual([mine.status, mine.body.type], [412, 'urn:coursewire:problem:precondition-failed']);
    assert.equal((await admin.get(`/ui/api/clients/${id}`)).body.name, 'Theirs');
    assert.equal((await change(id, { ...RECORD, name: 'Mine' }, await tagOf(id))).status, 200);
  });

  test('changes the revision even from the command line, but a new secret or a use does not', async () => {
    const made = (await admin.post('/ui/api/clients', INPUT)).body;
    const id: string = made.client_id;
    const first = await tagOf(id);
    await requestToken(service.url, id, made.client_secret);
    await admin.post(`/ui/api/clients/${id}/secret`);
    assert.equal(await tagOf(id), first);
    await using database = await openDatabaseOf(service.settings.data_dir);
    const clients = new ClientService({ database, now: Date.now });
    for (const enabled of [false, true]) {
      const before = await tagOf(id);
      await clients.setEnabled(id, enabled, COMMAND_LINE);
      assert.notEqual(await tagOf(id), before, String(enabled));
      const after = await tagOf(id);
      await clients.setEnabled(id, enabled, COMMAND_LINE);
      assert.equal(await tagOf(id), after, `${enabled} already`);
    }
  });

  test('that changes nothing keeps the revision', async () => {
    const id = await create();
    const read = await tagOf(id);
    assert.equal((await change(id, RECORD, read)).headers.get('etag'), read);
  });

  test('keeps each new value, even if it is the only one', async () => {
    const id = await create();
    const path = `/ui/api/clients/${id}`;
    let record = { ...RECORD, scopes: ['content:read', 'webhooks:read'] };
    for (const value of [{ name: 'Other' }, { email: 'other@example.com' }, { scopes: ['content:read'] }]) {
      record = { ...record, ...value };
      assert.equal((await admin.put(path, record)).status, 200);
      const { client_id, created_dt, last_used_dt, ...kept } = (await admin.get(path)).body;
      assert.deepEqual(kept, record);
    }
  });

  test('is made only once if several start from the same state', async () => {
    const id = await create();
    const read = await tagOf(id);
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => change(id, { ...RECORD, name }, read)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412]);
  });

  test('may be a deletion, which is rejected the same way', async () => {
    const id = await create();
    const read = await tagOf(id);
    const remove = () => admin.call('DELETE', `/ui/api/clients/${id}`, undefined, { 'if-match': read });
    await change(id, { ...RECORD, enabled: false }, read);
    assert.equal((await remove()).status, 412);
    assert.equal((await admin.delete(`/ui/api/clients/${id}`)).status, 204);
  });
});

describe('creating an API client with an Idempotency-Key', () => {
  const total = async (admin: Browser) => (await admin.get('/ui/api/clients')).body.total;
  const create = (admin: Browser, key: string, body: object = INPUT) =>
    admin.call('POST', '/ui/api/clients', body, { 'idempotency-key': key });

  test('creates one, however often it is sent, and returns the same secret, which is stored nowhere readably', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    const admin = await signedInBrowser(service.url);
    const before = await total(admin);
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => create(admin, 'a-key')));
    assert.equal(first?.status, 201);
    for (const other of others) assert.deepEqual([other.status, other.body], [201, first?.body]);
    const replayed = [first, ...others].filter(
      (answer) => answer?.headers.get('idempotent-replayed') === 'true',
    );
    assert.equal(replayed.length, 3);
    assert.equal(await total(admin), before + 1);
    const { client_id: id, client_secret: secret } = first?.body ?? {};
    await requestToken(service.url, id, secret);
    const kept = await keptAnswers(service);
    assert.match(kept, /"idempotency_key":"a-key"/);
    for (const readable of [secret, id, INPUT.name]) assert.ok(!kept.includes(readable), readable);
    const logged = service.logLines.filter((line) =>
      JSON.stringify(line).includes('an API client was created'),
    );
    assert.equal(logged.length, 1);
    assert.ok(!JSON.stringify(service.logLines).includes(secret));
  });

  test('is rejected for another client', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    const admin = await signedInBrowser(service.url);
    await create(admin, 'k');
    const answer = await create(admin, 'k', { ...INPUT, name: 'Other' });
    assert.deepEqual(
      [answer.status, answer.body.type],
      [422, 'urn:coursewire:problem:idempotency-key-reused'],
    );
  });

  test('returns a conflict, and creates none, if the stored response can no longer be decrypted', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    const admin = await signedInBrowser(service.url);
    await create(admin, 'one');
    await create(admin, 'two');
    const before = await total(admin);
    await using database = await openDatabaseOf(service.settings.data_dir);
    // Nor can a row of one key be used with another.
    await database.transaction((tx) =>
      tx.run(
        `update idempotency_keys set body = (select other.body from idempotency_keys as other
           where other.idempotency_key = 'two') where idempotency_key = 'one'`,
      ),
    );
    const answer = await create(admin, 'one');
    assert.deepEqual([answer.status, answer.body.type], [409, 'urn:coursewire:problem:conflict']);
    assert.match(answer.body.detail, /webhooks_auth_secret has changed/);
    assert.equal(await total(admin), before);
  });
});
