import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertInvalid, assertProblem, webhookInput } from './webhook-expectations.ts';

// Runs on SQLite alone: the setting is checked before anything is stored.

const DISABLED = { settings: { enable_webhooks_service: false } };

describe('while the webhooks service is disabled', () => {
  test('webhooks cannot be updated or deleted: 403 with a type of its own', async () => {
    await using service = await startTestService(DISABLED);
    const { api } = service;
    const webhook = await api.create('/webhooks', webhookInput());
    const path = `/webhooks/${webhook.id}`;
    assertProblem(await api.put(path, webhookInput({ name: 'New' })), 403, 'webhooks-read-only');
    assertProblem(await api.put(`${path}?resetStatistics=true`, webhook), 403, 'webhooks-read-only');
    assertProblem(await api.put(path, { nonsense: true }), 403, 'webhooks-read-only');
    assertProblem(await api.delete(path), 403, 'webhooks-read-only');
    assertProblem(await api.delete(path, { 'if-match': '"1"' }), 403, 'webhooks-read-only');
    const refused = await api.delete(path);
    assert.equal(refused.headers.get('www-authenticate'), null, 'another token would not help');
    assert.deepEqual((await api.get(path)).body, webhook, 'nothing was changed');
  });

  test('nothing is sent, replayed or redelivered manually either', async () => {
    await using service = await startTestService(DISABLED);
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput());
    for (const part of [
      'test',
      'line/retry',
      'line/skip',
      'line/messages/1/skip',
      'line/purge',
      'deliveries/remove',
      'deliveries/redeliver',
      'deliveries/1/redeliver',
      'replay?from_dt=2026-01-01T00:00:00Z',
      'replay?from_dt=2026-01-01T00:00:00Z&dry_run=true',
    ]) {
      assertProblem(await api.post(`/webhooks/${id}/${part}`), 403, 'webhooks-read-only', null, part);
    }
    for (const path of ['/webhooks/test', `/webhooks/test?webhook_id=${id}`])
      assertProblem(await api.post(path, webhookInput()), 403, 'webhooks-read-only', null, path);
  });

  test('webhooks can be read, created and listed, and show that they are read-only', async () => {
    await using service = await startTestService(DISABLED);
    const { api } = service;
    const created = await api.post(
      '/webhooks',
      webhookInput({ authentication: { type: 'BASIC', key: 'k', secret: 's' } }),
    );
    assert.equal(created.status, 201);
    assert.equal(created.body.read_only, true);
    assert.deepEqual((await api.get(`/webhooks/${created.body.id}`)).body, created.body);
    const { body } = await api.get('/webhooks');
    assert.deepEqual(body.data, [created.body]);
    assertInvalid(await api.post('/webhooks', webhookInput({ subtopics: [] })), ['/subtopics']);
  });

  test('statistics can be read and reset', async () => {
    await using service = await startTestService(DISABLED);
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput());
    const before = await api.get(`/webhooks/${id}/statistics`);
    assert.equal(before.status, 200);
    const reset = await api.post(`/webhooks/${id}/statistics/reset`);
    assert.equal(reset.status, 200);
    assert.ok(reset.body.statistics_valid_from_dt >= before.body.statistics_valid_from_dt);
  });

  test('no event triggers anything, and queued messages wait', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: answer(503) });
    const dataDir = folder.path;
    let id: number;
    {
      await using service = await startTestService({
        dataDir,
        settings: { retry_initial_delay: 0.5, retry_max_delay: 0.5 },
      });
      ({ id } = await service.api.create('/webhooks', webhookInput({ target_url: target.url })));
      await service.api.create('/accounts', { name: 'Before' });
      await target.waitFor(1);
      await until(async () => {
        const { body } = await service.api.get(`/webhooks/${id}`);
        return body.in_error;
      }, 'the failure is settled');
    }
    target.respondWith(answer(200));
    const before = target.requests.length;
    {
      await using service = await startTestService({ dataDir, ...DISABLED });
      const { api } = service;
      await api.create('/accounts', { name: 'Meanwhile' });
      const line = (await api.get(`/webhooks/${id}/line`)).body;
      assert.deepEqual([line.state, line.depth], ['PAUSED', 1], 'what waited waits, and nothing came to it');
      const webhook = (await api.get(`/webhooks/${id}`)).body;
      assert.deepEqual([webhook.in_error, webhook.read_only], [true, true]);
      assertProblem(await api.put(`/webhooks/${id}`, webhook), 403, 'webhooks-read-only');
    }
    assert.equal(target.requests.length, before);
    await using service = await startTestService({ dataDir });
    const { api } = service;
    await target.waitFor(before + 1);
    await api.create('/accounts', { name: 'After' });
    await target.waitFor(before + 2);
    assert.deepEqual(
      target.requests
        .slice(before)
        .map(({ json }) => (json as { resource: { account: { name: string } } }).resource.account.name),
      ['Before', 'After'],
    );
    const webhook = (await api.get(`/webhooks/${id}`)).body;
    assert.equal(webhook.read_only, false);
    assert.equal((await api.put(`/webhooks/${id}`, webhook)).status, 200);
    assert.equal((await api.delete(`/webhooks/${id}`)).status, 204);
  });
});
