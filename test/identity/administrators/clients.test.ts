import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, createAdministrator, signedInBrowser } from '../../support/administration.ts';
import { Api, requestToken, startTestService, type TestService } from '../../support/service.ts';

const INPUT = { name: 'Exporter', email: 'ops@example.com', scopes: ['webhooks:read', 'content:read'] };

describe('API clients in the admin UI', () => {
  let service: TestService;
  let admin: Browser;

  before(async () => {
    service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    admin = await signedInBrowser(service.url);
  });
  after(() => service.stop());

  const create = async () => {
    const answer = await admin.post('/ui/api/clients', INPUT);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  };

  test('are made with a secret that is told once', async () => {
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

  test('lose a scope, also with tokens that were given out', async () => {
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
    assert.equal((await api.get('/accounts')).status, 200, 'the token stands');
  });

  test('disabled, they get no token, and theirs have ended for good', async () => {
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

  test('get a new secret, which ends the former one and its tokens', async () => {
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

  test('that do not exist are 404, whatever their id', async () => {
    const change = { ...INPUT, enabled: true };
    for (const id of ['cw_000000000000000000000000', 'x', '%00', '%C3%A9']) {
      const path = `/ui/api/clients/${id}`;
      assert.equal((await admin.put(path, change)).status, 404, id);
      assert.equal((await admin.post(`${path}/secret`)).status, 404, id);
      assert.equal((await admin.delete(path)).status, 404, id);
    }
  });

  test('what is malformed is refused and named', async () => {
    for (const [body, pointers] of [
      [{}, ['/name', '/email', '/scopes']],
      [{ ...INPUT, name: ' ', email: 'x' }, ['/name', '/email']],
      [{ ...INPUT, scopes: ['admin'] }, ['/scopes/0']],
      [{ ...INPUT, scopes: ['content:read', 'content:read'] }, ['/scopes']],
      [{ ...INPUT, client_secret: 'x' }, ['/client_secret']],
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
