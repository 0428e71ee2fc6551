import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertProblem } from '../webhooks/webhook-expectations.ts';
import {
  accountsOf,
  createAccounts,
  createWebhook,
  lineOf,
  listDeliveries,
  settledDeliveries,
  statisticsOf,
} from './webhook-helpers.ts';

// Runs on SQLite in `npm test`: a start reads the switches. The tests of pausing and of instances queue and deliver on both.

/** Short, so that a wrong delivery would happen during the test. */
const SHORT_RETRIES = { retry_initial_delay: 0.05, retry_max_delay: 0.05, queue_polling_interval: 0.01 };
/** While another service makes this many deliveries, one after another, a due message would be delivered. */
const DELIVERIES_MEANWHILE = 10;

/**
 * Waits long enough for every due message to be received, even on a busy machine: until a second service has started
 * and delivered several messages.
 */
async function untilAllWouldBeOut(): Promise<void> {
  await using target = await startTarget();
  await using service = await startTestService({ settings: SHORT_RETRIES });
  await createWebhook(service.api, target.url);
  for (let count = 1; count <= DELIVERIES_MEANWHILE; count++) {
    await createAccounts(service.api, `meanwhile ${count}`);
    await target.waitFor(count);
  }
}

describe('enable_webhooks_service', () => {
  it('false keeps waiting messages, and creates and sends none; true again delivers them in order', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: answer(500) });
    const dataDir = folder.path;
    let id: number;
    {
      await using service = await startTestService({ dataDir, settings: SHORT_RETRIES });
      const { api } = service;
      id = await createWebhook(api, target.url, { max_attempts: 1_000 });
      await createAccounts(api, 'a', 'b');
      await until(async () => (await statisticsOf(api, id)).error_count > 0, 'the head failed');
    }
    const before = target.requests.length;
    {
      await using service = await startTestService({
        dataDir,
        settings: { ...SHORT_RETRIES, enable_webhooks_service: false },
      });
      const { api } = service;
      target.respondWith(answer(200));
      await createAccounts(api, 'never delivered');
      await untilAllWouldBeOut();
      assert.equal(target.requests.length, before);
      const line = await lineOf(api, id);
      assert.deepEqual([line.state, line.depth, line.head.next_attempt_dt], ['PAUSED', 2, null]);
      assert.ok(line.head.attempts > 0);
      assert.match(line.head.last_error_message, /500 Internal Server Error/);
      const [delivery] = await listDeliveries(api, id);
      for (const action of [
        'line/retry',
        'line/skip',
        'deliveries/redeliver',
        `deliveries/${delivery?.id}/redeliver`,
        'test',
      ])
        assertProblem(await api.post(`/webhooks/${id}/${action}`), 403, 'webhooks-read-only', null, action);
      assert.equal(target.requests.length, before);
    }
    await using service = await startTestService({ dataDir, settings: SHORT_RETRIES });
    const deliveries = await settledDeliveries(service.api, id, 2);
    assert.deepEqual(accountsOf(target.requests.slice(before)), ['a', 'b']);
    assert.ok(deliveries.every((each) => each.status === 'DELIVERED'));
    assert.equal(target.requests[before]?.headers['webhook-id'], target.requests[0]?.headers['webhook-id']);
    await createAccounts(service.api, 'c');
    await target.waitFor(before + 3);
    assert.deepEqual(accountsOf(target.requests.slice(before)), ['a', 'b', 'c']);
  });
});

describe('enable_queue_polling', () => {
  it('false creates messages without delivering them; true again delivers them in order', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    const dataDir = folder.path;
    let id: number;
    {
      await using service = await startTestService({
        dataDir,
        settings: { ...SHORT_RETRIES, enable_queue_polling: false },
      });
      const { api } = service;
      id = await createWebhook(api, target.url);
      assert.equal((await lineOf(api, id)).state, 'EMPTY');
      await createAccounts(api, 'a', 'b', 'c');
      await untilAllWouldBeOut();
      assert.equal(target.requests.length, 0);
      const line = await lineOf(api, id);
      assert.deepEqual([line.state, line.depth, line.head.attempts], ['PAUSED', 3, 0]);
      assert.ok(line.oldest_age > 0);
      assert.deepEqual(await listDeliveries(api, id), []);
      const { body: record } = await api.get(`/webhooks/${id}`);
      assert.equal(record.read_only, false);
      const renamed = await api.put(`/webhooks/${id}`, { ...record, name: 'Renamed' });
      assert.equal(renamed.status, 200, 'webhooks are not read only');
      assert.equal((await api.post(`/webhooks/${id}/test`)).body.delivered, true, 'tests pass the queue');
      target.requests.length = 0;
    }
    await using service = await startTestService({ dataDir, settings: SHORT_RETRIES });
    await target.waitFor(3);
    await settledDeliveries(service.api, id, 3);
    assert.deepEqual(accountsOf(target.requests), ['a', 'b', 'c']);
    assert.equal((await lineOf(service.api, id)).state, 'EMPTY');
  });
});
