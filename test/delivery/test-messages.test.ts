import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { type Api, CLIENT_EMAIL, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertInvalid, assertProblem } from '../webhooks/webhook-expectations.ts';
import { createAccounts, createWebhook, lineOf, listDeliveries, statisticsOf } from './webhook-helpers.ts';

// Runs on SQLite alone: test messages are sent without being stored.

describe('test messages', () => {
  let service: TestService;
  let api: Api;

  aroundTests(async (parts) => {
    service = parts.use(
      await startTestService({ settings: { retry_initial_delay: 60, retry_max_delay: 60 } }),
    );
    api = service.api;
  });

  async function untilFailedOnce(id: number): Promise<void> {
    await until(async () => {
      const { state, head } = await lineOf(api, id);
      return state === 'RETRYING' && head.attempts === 1;
    }, 'the head failed once');
  }

  test('are marked as tests and return the target’s response', async () => {
    await using target = await startTarget({ respondWith: answer(201, { body: 'thanks' }) });
    const id = await createWebhook(api, target.url, {
      authentication: { type: 'BASIC', key: 'k', secret: 's' },
    });
    const { status, body } = await api.post(`/webhooks/${id}/test`);
    assert.equal(status, 200);
    const [received] = target.requests;
    assert.equal(received?.headers['webhook-test'], 'true');
    assert.equal(received?.headers.authorization, `Basic ${btoa('k:s')}`);
    assert.match(String(received?.headers['webhook-id']), /^[0-9a-f-]{36}$/);
    const { duration_ms, message, ...rest } = body;
    assert.deepEqual(rest, {
      delivered: true,
      response_status: 201,
      response_body: 'thanks',
      error: null,
      signed: false,
    });
    assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0);
    assert.deepEqual(received?.json, message);
    assert.equal(message.subscription_id, id);
    assert.equal(message.subtopic, 'ACCOUNT_CREATED');
    assert.equal(message.user, CLIENT_EMAIL);
    await api.delete(`/webhooks/${id}`);
  });

  test('report why they failed, and affect no statistics, history or state', async () => {
    await using failing = await startTarget({ respondWith: answer(403, { body: 'go away' }) });
    const id = await createWebhook(api, failing.url);
    const { status, body } = await api.post(`/webhooks/${id}/test`);
    assert.equal(status, 200);
    assert.deepEqual(
      [body.delivered, body.response_status, body.response_body, body.error],
      [false, 403, 'go away', '403 Forbidden'],
    );
    assert.equal(failing.requests.length, 1, 'a test is not retried');
    const statistics = await statisticsOf(api, id);
    assert.deepEqual([statistics.success_count, statistics.error_count], [0, 0]);
    assert.equal((await api.get(`/webhooks/${id}`)).body.in_error, false);
    assert.deepEqual(await listDeliveries(api, id), []);
    await api.delete(`/webhooks/${id}`);
  });

  test('report that nothing listens at the target', async () => {
    const gone = await startTarget();
    const id = await createWebhook(api, gone.url);
    await gone.close();
    const { body } = await api.post(`/webhooks/${id}/test`);
    assert.deepEqual([body.delivered, body.response_status, body.error], [false, null, 'connection refused']);
    await api.delete(`/webhooks/${id}`);
  });

  test('bypass waiting messages, and also go to inactive webhooks', async () => {
    await using blocked = await startTarget({ respondWith: answer(500) });
    const id = await createWebhook(api, blocked.url);
    await createAccounts(api, 'waits');
    await untilFailedOnce(id);
    blocked.respondWith(answer(200));
    assert.equal((await api.post(`/webhooks/${id}/test`)).body.delivered, true);
    await untilFailedOnce(id);
    const { body: record } = await api.get(`/webhooks/${id}`);
    assert.equal((await api.put(`/webhooks/${id}`, { ...record, enabled: false })).status, 200);
    assert.equal((await api.post(`/webhooks/${id}/test`)).body.delivered, true);
    await api.delete(`/webhooks/${id}`);
  });

  test('can have any subtopic of the topic, even one that the webhook does not have', async () => {
    await using good = await startTarget();
    const id = await createWebhook(api, good.url);
    const { status, body } = await api.post(`/webhooks/${id}/test?subtopic=ACCOUNT_DELETED`);
    assert.equal(status, 200);
    assert.equal(body.message.subtopic, 'ACCOUNT_DELETED');
    await api.delete(`/webhooks/${id}`);
  });

  test('name the learner as the user of a launch, like real messages', async () => {
    await using good = await startTarget();
    const id = await createWebhook(api, good.url, { topic: 'REGISTRATION' });
    const test = async (subtopic: string) =>
      (await api.post(`/webhooks/${id}/test?subtopic=${subtopic}`)).body.message;
    const launched = await test('REGISTRATION_LAUNCHED');
    assert.equal(launched.user, launched.resource.registration.learner_id);
    assert.equal((await test('REGISTRATION_STATUS_UPDATED')).user, CLIENT_EMAIL);
    await api.delete(`/webhooks/${id}`);
  });

  test('are rejected for subtopics of other topics and for unknown ones', async () => {
    await using good = await startTarget();
    const id = await createWebhook(api, good.url);
    for (const subtopic of ['COURSE_IMPORTED', 'REGISTRATION_LAUNCHED', 'CONTENT_ADDED_TO_ACCOUNT', 'x'])
      assertInvalid(await api.post(`/webhooks/${id}/test?subtopic=${subtopic}`), ['/query/subtopic']);
    assert.equal(good.requests.length, 0);
    await api.delete(`/webhooks/${id}`);
  });

  test('are not sent to webhooks that do not exist', async () => {
    await using good = await startTarget();
    assertProblem(await api.post('/webhooks/999999/test'), 404, 'not-found');
    const id = await createWebhook(api, good.url);
    await api.delete(`/webhooks/${id}`);
    assertProblem(await api.post(`/webhooks/${id}/test`), 404, 'not-found');
    assert.equal(good.requests.length, 0);
  });

  test('are not sent without lost credentials, because that would not test what is delivered', async () => {
    await using good = await startTarget();
    const id = await createWebhook(api, good.url, {
      authentication: { type: 'BASIC', key: 'k', secret: 's' },
    });
    await runSql(
      service.settings.data_dir,
      "update webhooks set credentials = 'damaged' where id = ?",
      Number(id),
    );
    const { status, body } = await api.post(`/webhooks/${id}/test`);
    assert.equal(status, 200);
    assert.deepEqual([body.delivered, body.response_status, body.response_body], [false, null, null]);
    assert.match(body.error, /credentials cannot be decrypted; set the key and secret again/);
    assert.equal(good.requests.length, 0);
    await api.delete(`/webhooks/${id}`);
  });
});
