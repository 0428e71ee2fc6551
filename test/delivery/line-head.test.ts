import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { borrowTestService } from '../support/lent-service.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, hang, when } from '../support/target-behaviours.ts';
import {
  accountsOf,
  createAccounts,
  createWebhook,
  deliveriesOf,
  LONG_RETRIES,
  lineOf,
  settledDeliveries,
  statisticsOf,
  untilLineEmpty,
  untilRetrying,
} from './webhook-helpers.ts';

describe('the head of a line', () => {
  it('can be retried at once, and those behind it follow', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    const line = await untilRetrying(api, id);
    assert.equal(line.depth, 2);
    target.respondWith(answer(200));
    const retried = await api.post(`/webhooks/${id}/line/retry?message_id=${line.head.message_id}`);
    assert.equal(retried.status, 200);
    await untilLineEmpty(api, id);
    assert.deepEqual(accountsOf(target.requests), ['a', 'a', 'b']);
  });

  it('can be skipped: it becomes a dead letter, keeps its attempts, and can be redelivered', async () => {
    await using target = await startTarget();
    target.respondWith(when((postback) => accountsOf([postback])[0] === 'a', answer(500)));
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    const { head } = await untilRetrying(api, id);
    const [before] = await deliveriesOf(api, id);
    await until(() => Date.now() > Date.parse(before!.updated_dt) + 20, 'time passes');

    assert.equal((await api.post(`/webhooks/${id}/line/skip?message_id=${head.message_id}`)).status, 200);
    await target.waitFor(2);
    const [skipped] = await settledDeliveries(api, id, 2);
    assert.deepEqual([skipped?.status, skipped?.status_reason], ['DEAD_LETTERED', 'SKIPPED']);
    assert.equal(skipped?.attempts, 1);
    assert.deepEqual(skipped?.attempt_history, before?.attempt_history);
    assert.equal((await statisticsOf(api, id)).error_count, 1);

    target.respondWith(answer(200));
    await api.post(`/webhooks/${id}/deliveries/${skipped!.id}/redeliver`);
    const [again] = await settledDeliveries(api, id, 2);
    assert.deepEqual(again?.attempt_history[0], before?.attempt_history[0]);
    assert.deepEqual(
      again?.attempt_history.map((each) => each.response_status),
      [500, 200],
    );
    assert.deepEqual(accountsOf(target.requests), ['a', 'b', 'a']);
  });

  it('that was never tried can be skipped', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a');
    assert.equal((await api.post(`/webhooks/${id}/line/skip`)).status, 200);
    const [skipped] = await settledDeliveries(api, id, 1);
    assert.deepEqual([skipped?.status, skipped?.attempts], ['DEAD_LETTERED', 0]);
    assert.deepEqual(skipped?.attempt_history, []);
  });

  it('is not changed if it is another message, is being delivered, or does not exist', async () => {
    await using target = await startTarget({ respondWith: hang() });
    await using service = await borrowTestService({ settings: { shutdown_timeout: 0.01 } });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    for (const action of ['retry', 'skip']) {
      assert.equal((await api.post(`/webhooks/${id}/line/${action}`)).status, 409);
      assert.equal((await api.post(`/webhooks/${id + 1}/line/${action}`)).status, 404);
    }
    await createAccounts(api, 'a');
    await target.waitFor(1);
    for (const action of ['retry', 'skip']) {
      const out = await api.post(`/webhooks/${id}/line/${action}`);
      assert.equal(out.status, 409);
      assert.ok(Number(out.headers.get('retry-after')) > 0);
      assert.equal((await api.post(`/webhooks/${id}/line/${action}?message_id=other`)).status, 409);
    }
    assert.equal((await lineOf(api, id)).state, 'IN_FLIGHT');
  });
});

describe('the id of a message', () => {
  it('may be written with capitals in every call, as some logs write UUIDs', async () => {
    await using service = await borrowTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, 'http://127.0.0.1:9/');
    await createAccounts(api, 'a', 'b');
    const { head } = await lineOf(api, id);
    const query = `message_id=${head.message_id.toUpperCase()}`;
    const step = async (path: string) => {
      const { status, body } = await api.post(`/webhooks/${id}/${path}?${query}`);
      assert.ok(status < 300, `${path}: ${JSON.stringify(body)}`);
      return body;
    };
    await step('line/retry');
    await step('line/skip');
    const { data } = (await api.get(`/webhooks/${id}/deliveries?${query}`)).body;
    assert.deepEqual(
      data.map((each: { message_id: string }) => each.message_id),
      [head.message_id],
    );
    assert.equal((await step('deliveries/redeliver')).redelivered, 1);
    await api.post(`/webhooks/${id}/line/skip`);
    await step('line/skip');
    assert.equal((await step('deliveries/remove')).removed, 1);
    assert.equal((await api.get(`/events?${query}`)).body.data.length, 1);
  });
});
