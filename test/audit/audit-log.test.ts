import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { AuditEntryRecord } from '../../src/audit/audit-schemas.ts';
import {
  ADMIN_EMAIL,
  Browser,
  createAdministrator,
  PASSWORD,
  signedInBrowser,
} from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { readWhole } from '../support/each-page.ts';
import { createClient, requestToken, startTestService, type TestService } from '../support/service.ts';

const SECRET = 'a secret that no entry may show';

describe('the audit log', () => {
  let service: TestService;
  let admin: Browser;
  /** The newest entry before the test. */
  let newest: number;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    await createAdministrator(service.settings.data_dir);
    admin = await signedInBrowser(service.url);
  });
  beforeEach(async () => {
    newest = (await entries())[0]?.id ?? 0;
  });

  async function entries(query = ''): Promise<AuditEntryRecord[]> {
    const answer = await service.api.get(`/audit-log?limit=200${query}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data;
  }

  /** The entries that the test has caused, oldest first. */
  async function recorded(query = ''): Promise<AuditEntryRecord[]> {
    return (await entries(query)).filter(({ id }) => id > newest).reverse();
  }

  const webhookInput = (input: object = {}) => ({
    name: 'CRM',
    topic: 'ACCOUNT',
    target_url: 'http://127.0.0.1:9/first',
    ...input,
  });

  it('records who created, changed and deleted a webhook, with the values before and after', async () => {
    const { id } = (
      await admin.post(
        '/webhooks',
        webhookInput({ authentication: { type: 'BASIC', key: 'crm', secret: SECRET } }),
      )
    ).body;
    const changed = webhookInput({
      target_url: 'http://127.0.0.1:9/second',
      authentication: { type: 'BASIC', key: 'crm' },
      subtopics: ['ACCOUNT_DELETED'],
      paused: true,
    });
    assert.equal((await service.api.put(`/webhooks/${id}`, changed)).status, 200);
    assert.equal((await admin.delete(`/webhooks/${id}`)).status, 204);
    const [created, updated, deleted, ...others] = await recorded();
    assert.deepEqual(others, []);
    assert.equal(created?.action, 'WEBHOOK_CREATED');
    assert.deepEqual(created.object, { type: 'WEBHOOK', id: String(id), name: 'CRM' });
    const { address, ...actor } = created.actor;
    assert.equal(address, '127.0.0.1');
    assert.deepEqual(actor, { type: 'ADMINISTRATOR', id: '1', user: ADMIN_EMAIL, name: 'Ann' });
    assert.deepEqual(
      created.changes.find(({ field }) => field === 'target_url'),
      { field: 'target_url', before: null, after: 'http://127.0.0.1:9/first' },
    );
    assert.deepEqual(created.changes.at(-1), { field: 'authentication.secret', secret: true });

    assert.equal(updated?.action, 'WEBHOOK_UPDATED');
    assert.deepEqual(updated.actor, {
      type: 'API_CLIENT',
      id: service.clientId,
      user: 'integration@example.com',
      name: 'tests',
      address: '127.0.0.1',
    });
    assert.deepEqual(updated.changes, [
      { field: 'all_subtopics', before: true, after: false },
      { field: 'subtopics', added: ['ACCOUNT_DELETED'], removed: [] },
      { field: 'target_url', before: 'http://127.0.0.1:9/first', after: 'http://127.0.0.1:9/second' },
      { field: 'paused', before: false, after: true },
    ]);
    assert.equal(deleted?.action, 'WEBHOOK_DELETED');
    assert.deepEqual(
      deleted.changes.find(({ field }) => field === 'target_url'),
      { field: 'target_url', before: 'http://127.0.0.1:9/second', after: null },
    );
    const one = await service.api.get(`/audit-log/${updated.id}`);
    assert.deepEqual(one.body, updated);
    assert.equal((await service.api.get('/audit-log/999999')).status, 404);
  });

  it('records that a secret changed without its value, and nothing if nothing changed', async () => {
    const basic = (secret: string | undefined) =>
      webhookInput({
        authentication: { type: 'BASIC', key: 'crm', ...(secret === undefined ? {} : { secret }) },
      });
    const { id } = await service.api.create('/webhooks', basic(SECRET));
    for (const secret of [undefined, SECRET, `${SECRET}!`]) {
      assert.equal((await service.api.put(`/webhooks/${id}`, basic(secret))).status, 200);
    }
    assert.equal((await service.api.put(`/webhooks/${id}`, webhookInput())).status, 200);
    assert.equal((await service.api.post(`/webhooks/${id}/signing-secret`)).status, 200);
    assert.equal((await service.api.delete(`/webhooks/${id}/signing-secret`)).status, 204);
    assert.equal((await service.api.post(`/webhooks/${id}/statistics/reset`)).status, 200);
    const found = await recorded(`&object_type=WEBHOOK&object_id=${id}`);
    assert.deepEqual(found.map(({ action, changes }) => [action, changes]).slice(1), [
      ['WEBHOOK_UPDATED', [{ field: 'authentication.secret', secret: true }]],
      [
        'WEBHOOK_UPDATED',
        [
          { field: 'authentication.type', before: 'BASIC', after: 'NONE' },
          { field: 'authentication.key', secret: true },
          { field: 'authentication.secret', secret: true },
        ],
      ],
      ['SIGNING_SECRET_REPLACED', [{ field: 'signing_secret', secret: true }]],
      ['SIGNING_SECRET_DELETED', [{ field: 'signing_secret', secret: true }]],
      ['WEBHOOK_STATISTICS_RESET', []],
    ]);
    assert.doesNotMatch(JSON.stringify(await entries()), /a secret that no entry|whsec_/);
  });

  it('has no entry of a change that was refused or rolled back', async () => {
    const { id } = await service.api.create('/webhooks', webhookInput());
    const { body: account } = await service.api.post('/accounts', { name: 'Fabrikam' });
    newest = (await entries())[0]!.id;
    const stale = { 'if-match': '"0"' };
    assert.equal((await service.api.put(`/webhooks/${id}`, { ...webhookInput(), name: '' })).status, 400);
    assert.equal(
      (await admin.call('PUT', `/webhooks/${id}`, webhookInput({ paused: true }), stale)).status,
      412,
    );
    assert.equal((await admin.call('DELETE', `/accounts/${account.id}`, undefined, stale)).status, 412);
    assert.equal((await admin.delete('/ui/api/administrators/1')).status, 409);
    assert.equal((await admin.delete('/ui/api/clients/cw_unknown')).status, 404);
    assert.deepEqual(await recorded(), []);
  });

  it('records a request with an idempotency key once', async () => {
    const headers = { 'idempotency-key': 'once' };
    for (let time = 0; time < 2; time += 1)
      assert.equal((await admin.call('POST', '/webhooks', webhookInput(), headers)).status, 201);
    assert.deepEqual(
      (await recorded()).map(({ action }) => action),
      ['WEBHOOK_CREATED'],
    );
  });

  it('records API clients, with their scopes and without their secrets', async () => {
    const body = { name: 'Reports', email: 'reports@example.com', scopes: ['content:read'], enabled: true };
    const { enabled: _, ...input } = body;
    const created = (await admin.post('/ui/api/clients', input)).body;
    const path = `/ui/api/clients/${created.client_id}`;
    assert.equal((await admin.put(path, { ...body, scopes: ['webhooks:read'], enabled: false })).status, 200);
    const renewed = await admin.post(`${path}/secret`);
    assert.equal((await admin.delete(path)).status, 204);
    const found = await recorded();
    assert.deepEqual(
      found.map(({ action }) => action),
      ['API_CLIENT_CREATED', 'API_CLIENT_UPDATED', 'API_CLIENT_SECRET_REPLACED', 'API_CLIENT_DELETED'],
    );
    assert.deepEqual(found[1]!.changes, [
      { field: 'scope', added: ['webhooks:read'], removed: ['content:read'] },
      { field: 'enabled', before: true, after: false },
    ]);
    for (const { object } of found)
      assert.deepEqual(object, { type: 'API_CLIENT', id: created.client_id, name: 'Reports' });
    const text = JSON.stringify(found);
    for (const secret of [created.client_secret, renewed.body.client_secret])
      assert.ok(!text.includes(secret));
  });

  it('records administrators, their passwords and their sign-ins, also those that fail', async () => {
    const invited = (
      await admin.post('/ui/api/administrators', { email: 'vic@example.com', role: 'viewer', name: 'Vic' })
    ).body;
    const token = new URL(invited.invitation_url).hash.replace('#token=', '');
    const vic = new Browser(service.url);
    assert.equal((await vic.post('/ui/api/setup', { token, password: PASSWORD })).status, 200);
    const path = `/ui/api/administrators/${invited.id}`;
    assert.equal((await admin.put(path, { role: 'integrator', enabled: true, name: 'Vic' })).status, 200);
    assert.equal((await admin.post(`${path}/link`)).status, 200);
    assert.equal((await vic.signIn('vic@example.com', 'not the password')).status, 401);
    assert.equal((await vic.signIn('nobody@example.com', 'my-secret-in-the-wrong-field')).status, 401);
    assert.equal((await vic.signIn('vic@example.com')).status, 200);
    const change = { current_password: PASSWORD, new_password: `${PASSWORD} again` };
    assert.equal((await vic.put('/ui/api/password', change)).status, 204);
    assert.equal((await admin.delete(path)).status, 204);
    const found = await recorded();
    const by = found.map(({ action, actor, object }) => [action, actor.type, actor.user, object.name]);
    assert.deepEqual(by, [
      ['ADMINISTRATOR_INVITED', 'ADMINISTRATOR', ADMIN_EMAIL, 'Vic'],
      ['PASSWORD_SET', 'ADMINISTRATOR', 'vic@example.com', 'Vic'],
      ['ADMINISTRATOR_UPDATED', 'ADMINISTRATOR', ADMIN_EMAIL, 'Vic'],
      ['PASSWORD_LINK_CREATED', 'ADMINISTRATOR', ADMIN_EMAIL, 'Vic'],
      ['SIGN_IN_FAILED', 'UNKNOWN', null, 'Vic'],
      ['SIGN_IN_FAILED', 'UNKNOWN', null, null],
      ['SIGNED_IN', 'ADMINISTRATOR', 'vic@example.com', 'Vic'],
      ['PASSWORD_CHANGED', 'ADMINISTRATOR', 'vic@example.com', 'Vic'],
      ['ADMINISTRATOR_DELETED', 'ADMINISTRATOR', ADMIN_EMAIL, 'Vic'],
    ]);
    assert.deepEqual(found[2]!.changes, [{ field: 'role', before: 'viewer', after: 'integrator' }]);
    assert.equal(found[4]!.actor.address, '127.0.0.1');
    assert.doesNotMatch(JSON.stringify(found), new RegExp(`${PASSWORD}|wrong-field|nobody@example|${token}`));
  });

  it('records nothing if an administrator, a profile or an API client is saved unchanged', async () => {
    const viewer = { email: 'una@example.com', role: 'viewer', name: 'Una' };
    const { id } = (await admin.post('/ui/api/administrators', viewer)).body;
    const input = { name: 'Reports', email: 'reports@example.com', scopes: ['content:read'] };
    const { client_id: clientId } = (await admin.post('/ui/api/clients', input)).body;
    newest = (await entries())[0]!.id;
    const unchanged = { role: 'viewer', enabled: true, name: 'Una' };
    assert.equal((await admin.put(`/ui/api/administrators/${id}`, unchanged)).status, 200);
    assert.equal((await admin.put('/ui/api/profile', { name: 'Ann' })).status, 204);
    assert.equal((await admin.put(`/ui/api/clients/${clientId}`, { ...input, enabled: true })).status, 200);
    assert.deepEqual(await recorded(), []);
    for (const path of [`administrators/${id}`, `clients/${clientId}`])
      assert.equal((await admin.delete(`/ui/api/${path}`)).status, 204);
  });

  it('records the name that a person enters with a one-time link', async () => {
    const invitation = { email: 'eve@example.com', role: 'viewer' };
    const invited = (await admin.post('/ui/api/administrators', invitation)).body;
    const tokenOf = (url: string) => new URL(url).hash.replace('#token=', '');
    const setUp = async (token: string, name: string) =>
      await new Browser(service.url).post('/ui/api/setup', { token, name, password: PASSWORD });
    assert.equal((await setUp(tokenOf(invited.invitation_url), 'Eve')).status, 200);
    const link = (await admin.post(`/ui/api/administrators/${invited.id}/link`)).body;
    assert.equal((await setUp(tokenOf(link.invitation_url), 'Ann')).status, 200);
    assert.deepEqual(
      (await recorded('&action=PASSWORD_SET')).map(({ changes }) => changes),
      [[{ field: 'name', before: null, after: 'Eve' }], [{ field: 'name', before: 'Eve', after: 'Ann' }]],
    );
    assert.equal((await admin.delete(`/ui/api/administrators/${invited.id}`)).status, 204);
  });

  it('records the settings of accounts, and their deletion', async () => {
    const { id } = await service.api.create('/accounts', { name: 'Northwind' });
    for (const enabled of [false, false])
      await service.api.put(`/accounts/${id}`, { name: 'Northwind Traders', enabled });
    await service.api.delete(`/accounts/${id}`);
    const found = await recorded(`&object_type=ACCOUNT&object_id=${id}`);
    assert.deepEqual(
      found.map(({ action, changes }) => [action, changes]),
      [
        [
          'ACCOUNT_UPDATED',
          [
            { field: 'name', before: 'Northwind', after: 'Northwind Traders' },
            { field: 'enabled', before: true, after: false },
          ],
        ],
        [
          'ACCOUNT_DELETED',
          [
            { field: 'name', before: 'Northwind Traders', after: null },
            { field: 'enabled', before: false, after: null },
          ],
        ],
      ],
    );
  });

  it('is filtered by actor, action, kind of object, object and time, and paged', async () => {
    const first = await service.api.create('/webhooks', webhookInput({ name: 'First' }));
    await admin.put(`/webhooks/${first.id}`, webhookInput({ name: 'Second' }));
    await service.api.create('/webhooks', webhookInput({ name: 'Third' }));
    const names = async (query: string) =>
      (await recorded(query)).map(({ action, object }) => `${action} ${object.name}`);
    const all = ['WEBHOOK_CREATED First', 'WEBHOOK_UPDATED Second', 'WEBHOOK_CREATED Third'];
    assert.deepEqual(await names(''), all);
    assert.deepEqual(await names(`&user=${ADMIN_EMAIL}`), [all[1]]);
    assert.deepEqual(await names('&actor_type=API_CLIENT'), [all[0], all[2]]);
    assert.deepEqual(await names('&actor_type=COMMAND_LINE'), []);
    assert.deepEqual(await names('&action=WEBHOOK_UPDATED&action=WEBHOOK_DELETED'), [all[1]]);
    const ofFirst = `&object_type=WEBHOOK&object_id=${first.id}`;
    assert.deepEqual(await names(ofFirst), [all[0], all[1]]);
    assert.deepEqual(await names(`${ofFirst}&user=${ADMIN_EMAIL}`), [all[1]]);
    assert.deepEqual(await names('&object_type=ACCOUNT'), []);
    const [, second] = await recorded();
    assert.deepEqual(await names(`&from_dt=${second!.occurred_dt}`), all.slice(-2));
    assert.ok(!(await names(`&to_dt=${second!.occurred_dt}`)).includes(all[1]!));
    assert.deepEqual(await names('&from_dt=2999-01-01T00:00:00Z'), []);
    assert.deepEqual(await names('&to_dt=2000-01-01T00:00:00Z'), []);

    const paged = await readWhole((page) => service.api.get(page), '/audit-log?limit=2');
    assert.deepEqual(
      paged.map(({ id }) => id),
      (await entries()).map(({ id }) => id),
    );
    for (const [query, pointer] of [
      ['object_id=1', '/query/object_id'],
      ['from_dt=yesterday', '/query/from_dt'],
      ['action=SOMETHING', '/query/action/0'],
      ['cursor=x', '/query/cursor'],
    ]) {
      const { status, body } = await service.api.get(`/audit-log?${query}`);
      assert.equal(status, 400, query);
      assert.deepEqual(
        body.errors.map((error: { pointer: string }) => error.pointer),
        [pointer],
      );
    }
  });

  it('is read only with its own scope', async () => {
    for (const [scopes, expected] of [
      [['audit:read'], 200],
      [['content:read', 'webhooks:read', 'webhooks:write'], 403],
    ] as const) {
      const client = await createClient(service.settings.data_dir, { scopes });
      const token = await requestToken(service.url, client.clientId, client.clientSecret);
      const answer = await fetch(`${service.url}/audit-log`, {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(answer.status, expected);
    }
  });

  it('names the command line for changes by its commands', async () => {
    const client = await createClient(service.settings.data_dir);
    const [entry] = await recorded();
    assert.deepEqual(entry?.object, { type: 'API_CLIENT', id: client.clientId, name: 'tests' });
    assert.deepEqual(entry.actor, { type: 'COMMAND_LINE', id: null, user: null, name: null, address: null });
  });
});
