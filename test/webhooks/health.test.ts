import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createAccounts,
  createWebhook,
  LONG_RETRIES,
  retryHead,
  settledDeliveries,
  updateWebhook,
} from '../delivery/webhook-helpers.ts';
import { runSql } from '../support/database.ts';
import { borrowTestService } from '../support/lent-service.ts';
import { type Api, startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, failTimes, rawBytes } from '../support/target-behaviours.ts';
import { assertProblem } from './webhook-expectations.ts';

const QUICK_RETRIES = { retry_initial_delay: 0.01, retry_max_delay: 0.01 };
const refusing = (message: string) =>
  answer(403, { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ message }) });
const revoked = refusing('API key crm was revoked');

async function healthOf(api: Api, id: number) {
  const { status, body } = await api.get(`/webhooks/${id}/health`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function untilFailures(api: Api, id: number, count: number) {
  return await until(async () => {
    const health = await healthOf(api, id);
    return health.failure?.failures === count && health;
  }, `${count} failures in a row`);
}

describe('the health of a webhook', () => {
  it('shows the reason, the target’s response, how often and since when', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 7 });
    assert.deepEqual(await healthOf(api, id), {
      webhook_id: id,
      in_error: false,
      attempts: 0,
      success_rate: null,
      failure: null,
    });
    await createAccounts(api, 'delivered');
    await settledDeliveries(api, id, 1);
    target.respondWith(revoked);
    await createAccounts(api, 'refused', 'waits');
    const { failure: first } = await untilFailures(api, id, 1);
    const { message_id: messageId } = (await api.get(`/webhooks/${id}/line`)).body.head;
    await retryHead(api, id);
    const { failure, ...health } = await untilFailures(api, id, 2);
    assert.deepEqual(health, { webhook_id: id, in_error: true, attempts: 3, success_rate: 1 / 3 });
    assert.deepEqual(
      [failure.reason, failure.explanation, failure.max_attempts],
      ['403 Forbidden', 'API key crm was revoked', 7],
    );
    assert.match(
      failure.error_message,
      /^Request to postback URL 'http.*' failed for reason: 403 Forbidden$/,
    );
    assert.equal(failure.since_dt, first.since_dt);
    assert.ok(failure.last_dt >= failure.since_dt);
    const { id: deliveryId, ...delivery } = failure.delivery;
    assert.deepEqual(delivery, {
      message_id: messageId,
      subtopic: 'ACCOUNT_CREATED',
      status: 'RETRYING',
      attempts: 2,
      response_status: 403,
      response_body: '{"message":"API key crm was revoked"}',
    });
    assert.equal((await api.get(`/webhooks/${id}/deliveries/${deliveryId}`)).body.message_id, messageId);
  });

  it('does not show the response of a success that did not arrive completely', async () => {
    await using target = await startTarget({
      respondWith: rawBytes('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"message":"accepted"}'),
    });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a');
    const { failure } = await untilFailures(api, id, 1);
    assert.deepEqual(
      [failure.reason, failure.explanation],
      ['connection closed, before the end of the 200 response', null],
    );
    assert.equal(failure.delivery.response_body, '{"message":"accepted"}');
  });

  it('keeps counting over dead letters and a reset of the statistics, and starts again after a success', async () => {
    await using target = await startTarget({ respondWith: failTimes(4) });
    await using service = await borrowTestService({ settings: QUICK_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 2 });
    await createAccounts(api, 'a', 'b');
    await settledDeliveries(api, id, 2);
    const { failure } = await untilFailures(api, id, 4);
    assert.equal(failure.delivery.status, 'DEAD_LETTERED');
    await api.post(`/webhooks/${id}/statistics/reset`);
    const { failure: reset } = await healthOf(api, id);
    assert.deepEqual([reset.failures, reset.since_dt, reset.last_dt], [4, failure.since_dt, null]);
    assert.equal(reset.reason, '500 Internal Server Error');
    await createAccounts(api, 'c');
    await settledDeliveries(api, id, 3);
    assert.equal((await healthOf(api, id)).failure, null);
    target.respondWith(answer(500));
    await createAccounts(api, 'd');
    await settledDeliveries(api, id, 4);
    const { failure: again } = await untilFailures(api, id, 2);
    assert.ok(again.since_dt > failure.since_dt);
  });

  it('shows the last error, not an older one, after its message was removed', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using service = await borrowTestService({ settings: QUICK_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'a');
    await settledDeliveries(api, id, 1);
    target.respondWith(answer(500));
    await createAccounts(api, 'b');
    await settledDeliveries(api, id, 2);
    const { failure } = await untilFailures(api, id, 2);
    await api.post(`/webhooks/${id}/deliveries/remove?delivery_id=${failure.delivery.id}`);
    const { failure: after } = await healthOf(api, id);
    assert.equal(after.error_message, failure.error_message);
    assert.deepEqual(
      [after.reason, after.explanation, after.delivery],
      ['500 Internal Server Error', null, null],
    );
  });

  it('does not explain the last error with an older one that has the same text', async () => {
    await using target = await startTarget({ respondWith: refusing('Licence expired') });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'a');
    await settledDeliveries(api, id, 1);
    target.respondWith(refusing('Maintenance'));
    await updateWebhook(api, id, target.url, { max_attempts: 5 });
    await createAccounts(api, 'b');
    const { failure } = await untilFailures(api, id, 1);
    assert.deepEqual([failure.explanation, failure.delivery.status], ['Maintenance', 'RETRYING']);
    await api.post(`/webhooks/${id}/line/purge`);
    const { failure: after } = await healthOf(api, id);
    assert.deepEqual(after, { ...failure, explanation: null, delivery: null });
  });

  it('shows no error from before the last success after a reset of the statistics', async () => {
    await using target = await startTarget({ respondWith: refusing('Licence expired') });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'a');
    await settledDeliveries(api, id, 1);
    target.respondWith(answer(200));
    await createAccounts(api, 'b');
    await settledDeliveries(api, id, 2);
    target.respondWith(refusing('Maintenance'));
    await updateWebhook(api, id, target.url, { max_attempts: 5 });
    await createAccounts(api, 'c');
    await untilFailures(api, id, 1);
    await api.post(`/webhooks/${id}/statistics/reset`);
    assert.equal((await healthOf(api, id)).failure.explanation, 'Maintenance');
    await api.post(`/webhooks/${id}/line/purge`);
    const { failure } = await healthOf(api, id);
    assert.deepEqual([failure.reason, failure.explanation, failure.delivery], [null, null, null]);
  });

  it('explains an error that was recorded after a reset of the statistics and occurred before', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using service = await startTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a');
    const { failure } = await untilFailures(api, id, 1);
    // The state that such a reset leaves: an error does not count before the start of the period.
    await runSql(
      service.settings.data_dir,
      'update webhook_statistics set valid_from = last_error_at + 5, last_error_at = last_error_at + 5 returning webhook_id',
    );
    const { failure: later } = await healthOf(api, id);
    assert.deepEqual([later.explanation, later.delivery], [failure.explanation, failure.delivery]);
  });

  it('starts over after an edit', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a');
    await untilFailures(api, id, 1);
    await updateWebhook(api, id, target.url, { name: 'Renamed' });
    assert.equal((await healthOf(api, id)).failure, null);
    await retryHead(api, id);
    await untilFailures(api, id, 1);
  });

  it('is not found for a webhook that does not exist', async () => {
    await using service = await borrowTestService();
    assertProblem(await service.api.get('/webhooks/900001/health'), 404, 'not-found');
  });
});
