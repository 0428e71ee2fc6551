import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createAdministrator,
  INTEGRATOR_EMAIL,
  signedInBrowser,
  VIEWER_EMAIL,
} from '../support/administration.ts';
import { createClient, requestToken, startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

describe('the dashboard', () => {
  test('shows the last hour, the failing webhooks, and which are blocked since when', async () => {
    await using target = await startTarget({ respondWith: answer(503, { body: 'not now' }) });
    await using service = await startTestService({
      settings: { retry_initial_delay: 0.01, retry_max_delay: 3_600 },
    });
    const { api } = service;
    const webhook = await api.create('/webhooks', {
      name: 'North',
      topic: 'ACCOUNT',
      target_url: target.url,
      max_attempts: 1_000,
    });
    for (const name of ['A', 'B']) await api.create('/accounts', { name });
    const line = await until(async () => {
      const { body } = await api.get('/ui/api/dashboard');
      const { blocked_lines: blocked, failing_webhooks: failing } = body.delivery;
      return blocked[0]?.attempts >= 2 && failing[0]?.failure_count >= 2 ? blocked[0] : null;
    }, 'the line is blocked');
    assert.deepEqual(
      [line.webhook_id, line.name, line.depth, line.subtopic],
      [webhook.id, 'North', 2, 'ACCOUNT_CREATED'],
    );
    const sent = target.requests[0]!;
    assert.equal(line.message_id, sent.headers['webhook-id']);
    assert.match(line.last_error_message, /503/);

    const { body } = await api.get('/ui/api/dashboard');
    const history = await api.get(`/webhooks/${webhook.id}/deliveries`);
    const delivery = await api.get(`/webhooks/${webhook.id}/deliveries/${history.body.data[0].id}`);
    assert.equal(line.since_dt, delivery.body.attempt_history[0].attempted_dt, 'since its first attempt');
    assert.deepEqual(body.content, {
      accounts: 2,
      courses: 0,
      equivalents: 0,
      bundles: 0,
      registrations: 0,
    });
    const { minutes, failing_webhooks: failing, waiting, oldest_dt: oldestAt } = body.delivery;
    assert.equal(minutes.length, 60);
    const sum = (member: string) =>
      minutes.reduce((total: number, minute: Record<string, number>) => total + minute[member]!, 0);
    assert.equal(sum('event_count'), 2);
    assert.ok(sum('failure_count') >= 2);
    assert.equal(sum('success_count'), 0);
    assert.equal(waiting, 2);
    assert.equal(oldestAt, delivery.body.event_dt);
    assert.deepEqual(
      [failing[0].webhook_id, failing[0].name, failing[0].state],
      [webhook.id, 'North', 'in-error'],
    );
    assert.ok(failing[0].failure_count >= 2);
    assert.equal(failing[0].explanation, 'not now');
    const list = await api.get('/ui/api/webhooks?state=blocked');
    assert.deepEqual(
      list.body.data.map((row: { id: number; depth: number }) => [row.id, row.depth]),
      [[webhook.id, 2]],
    );
    const { body: health } = await api.get(`/webhooks/${webhook.id}/health`);
    assert.equal(list.body.data[0].failing_since_dt, health.failure.since_dt);
  });

  test('shows a viewer everything, but offers no changes', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir, { email: VIEWER_EMAIL, role: 'viewer' });
    const viewer = await signedInBrowser(service.url, VIEWER_EMAIL);
    const { status, body } = await viewer.get('/ui/api/dashboard');
    assert.equal(status, 200);
    assert.equal(body.delivery.waiting, 0);
    assert.equal(body.content.accounts, 0);
    const lists = ['accounts', 'courses', 'equivalents', 'bundles', 'folders', 'registrations'];
    for (const path of [...lists, 'webhooks', 'dead-letters'])
      assert.equal((await viewer.get(`/ui/api/${path}`)).status, 200, path);
    for (const path of ['health', 'clients', 'administrators'])
      assert.equal((await viewer.get(`/ui/api/${path}`)).status, 403, path);
    assert.equal((await viewer.post('/ui/api/dead-letters/redeliver', {})).status, 403);
    assert.equal((await fetch(`${service.url}/ui/api/dashboard`)).status, 401);
  });

  test('shows an integrator only webhooks; integrators can find assets by name but not read content', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir, { email: INTEGRATOR_EMAIL, role: 'integrator' });
    const integrator = await signedInBrowser(service.url, INTEGRATOR_EMAIL);
    const account = await service.api.create('/accounts', { name: 'Northwind' });
    const { status, body } = await integrator.get('/ui/api/dashboard');
    assert.equal(status, 200);
    assert.equal(body.delivery.waiting, 0);
    assert.equal(body.content, null);
    const found = await integrator.get('/ui/api/search/assets?types=ACCOUNT&search=north');
    assert.deepEqual(found.body.data, [
      { type: 'ACCOUNT', id: account.id, name: 'Northwind', location: null },
    ]);
    const named = await integrator.get(`/ui/api/search/assets/by-id?assets=ACCOUNT:${account.id}`);
    assert.deepEqual(named.body.data, found.body.data);
    assert.equal((await integrator.get(`/ui/api/search/assets?held_by=${account.id}`)).status, 403);
    for (const path of [`accounts/${account.id}`, 'courses', 'registrations', 'ui/api/clients'])
      assert.equal((await integrator.get(`/${path}`)).status, 403, path);
  });

  test('shows a client the parts that its scopes cover', async () => {
    await using service = await startTestService();
    for (const scope of ['content:read', 'webhooks:read']) {
      const client = await createClient(service.settings.data_dir, { scopes: [scope] });
      const token = await requestToken(service.url, client.clientId, client.clientSecret);
      const answer = await fetch(`${service.url}/ui/api/dashboard`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { content, delivery } = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual(
        [content !== null, delivery !== null],
        [scope === 'content:read', scope === 'webhooks:read'],
      );
    }
  });
});

describe('the health page', () => {
  test('shows an administrator what the service runs on, without secrets', async () => {
    const secret = 'x'.repeat(63);
    await using service = await startTestService({ settings: { webhooks_auth_secret: `${secret}y` } });
    await createAdministrator(service.settings.data_dir);
    const admin = await signedInBrowser(service.url);
    const { status, body } = await admin.get('/ui/api/health');
    const { settings: all, ...summary } = body;
    assert.ok(all.length > 0);
    const short = (await admin.get('/ui/api/health?settings=false')).body;
    assert.deepEqual(Object.keys(short), Object.keys(summary));
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.node_version, process.versions.node);
    assert.equal(body.version, '0.0.0-test');
    assert.ok(body.database.size_bytes > 0);
    assert.deepEqual(body.queue, { engine: 'database', state: 'delivering', obstacle: null });
    assert.equal(body.checks.database, 'ok');
    assert.deepEqual(body.content_store, { kind: 'folder' });
    const settings = new Map<string, Record<string, unknown>>(
      body.settings.map((each: { name: string }) => [each.name, each]),
    );
    const { meaning: _secretMeaning, ...authSecret } = settings.get('webhooks_auth_secret') ?? {};
    assert.deepEqual(authSecret, {
      name: 'webhooks_auth_secret',
      group: 'Webhooks',
      value: '(set, not shown)',
      default: null,
      default_in_words: 'created at the first startup and stored in `data_dir`, readable only by its owner',
      unit: null,
      is_default: false,
    });
    const { meaning, ...timeout } = settings.get('delivery_timeout') ?? {};
    assert.deepEqual(timeout, {
      name: 'delivery_timeout',
      group: 'Delivery',
      value: 30,
      default: 30,
      default_in_words: null,
      unit: 'seconds',
      is_default: true,
    });
    assert.notEqual(meaning, '');
    assert.ok(!JSON.stringify(body).includes(secret));
  });
});

describe('the interface of the admin UI', () => {
  test('is not part of the description of the automation API', async () => {
    await using service = await startTestService();
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
    assert.deepEqual(
      Object.keys(paths).filter((path) => path.startsWith('/ui')),
      [],
    );
  });
});
