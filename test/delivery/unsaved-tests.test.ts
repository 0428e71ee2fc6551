import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_TESTS_AT_A_TIME } from '../../src/webhooks/test-messages/test-message.ts';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { type Api, CLIENT_EMAIL, startTestService, type TestService } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, type TargetExchange } from '../support/target-behaviours.ts';
import { assertInvalid, assertProblem, webhookInput } from '../webhooks/webhook-expectations.ts';

// Runs on SQLite alone: test messages are sent without being stored.

const BASIC = { type: 'BASIC', key: 'crm', secret: 'open sesame' };

describe('testing a configuration before it is saved', () => {
  let service: TestService;
  let api: Api;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  test('sends what the webhook would send, returns the response of the target, and stores nothing', async () => {
    await using target = await startTarget({ respondWith: answer(201, { body: 'thanks' }) });
    const response = await api.post(
      '/webhooks/test?subtopic=ACCOUNT_DELETED',
      webhookInput({
        name: 'Draft',
        target_url: `${target.url}/hook`,
        authentication: BASIC,
        max_attempts: 3,
        enabled: false,
      }),
    );
    assert.equal(response.status, 200, JSON.stringify(response.body));
    const { duration_ms, message, ...rest } = response.body;
    assert.deepEqual(rest, {
      delivered: true,
      response_status: 201,
      response_body: 'thanks',
      error: null,
      signed: false,
    });
    assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0);
    const [received] = target.requests;
    assert.equal(received?.path, '/hook');
    assert.equal(received?.headers['webhook-test'], 'true');
    assert.equal(received?.headers.authorization, `Basic ${btoa('crm:open sesame')}`);
    assert.deepEqual(received?.json, message);
    const { resource, timestamp, ...envelope } = message;
    assert.deepEqual(envelope, {
      subscription_id: 0,
      name: 'Draft',
      topic: 'ACCOUNT',
      subtopic: 'ACCOUNT_DELETED',
      user: CLIENT_EMAIL,
      target_url: `${target.url}/hook`,
      logging_mode: 'FULL_ON_ERROR',
      max_attempts: 3,
    });
    assert.equal(resource.account.name, 'Northwind Training');
    assert.ok(Date.parse(timestamp) > 0);
    assert.doesNotMatch(JSON.stringify(response.body), /open sesame/);
    assert.deepEqual((await api.get('/webhooks')).body.data, []);
  });

  test('says why the target did not accept it', async () => {
    await using target = await startTarget({ respondWith: answer(403, { body: 'go away' }) });
    const refused = await api.post('/webhooks/test', webhookInput({ target_url: target.url }));
    assert.equal(refused.status, 200);
    const { delivered, response_status, response_body, error } = refused.body;
    assert.deepEqual(
      [delivered, response_status, response_body, error],
      [false, 403, 'go away', '403 Forbidden'],
    );
    const gone = await startTarget();
    await gone.close();
    const unheard = await api.post('/webhooks/test', webhookInput({ target_url: gone.url }));
    assert.deepEqual([unheard.body.delivered, unheard.body.error], [false, 'connection refused']);
  });

  test('rejects a configuration that could not be saved, naming every invalid member, and sends nothing', async () => {
    await using target = await startTarget();
    const test = (overrides: Record<string, unknown>, query = '') =>
      api.post(`/webhooks/test${query}`, webhookInput({ target_url: target.url, ...overrides }));
    assertInvalid(
      await test({
        name: '',
        subtopics: [],
        authentication: { type: 'BASIC' },
        max_attempts: 0,
        colour: 'red',
      }),
      ['/name', '/subtopics', '/authentication/key', '/authentication/secret', '/max_attempts', '/colour'],
    );
    assertInvalid(await test({ target_url: 'http://10.0.0.1/hook' }), ['/target_url']);
    assertInvalid(await test({ target_url: 'http://169.254.169.254/latest' }), ['/target_url']);
    assertInvalid(await test({}, '?subtopic=COURSE_IMPORTED'), ['/query/subtopic']);
    assertInvalid(await test({ name: '' }, '?subtopic=COURSE_IMPORTED'), ['/name', '/query/subtopic']);
    assertInvalid(await test({}, '?webhook_id=x'), ['/query/webhook_id']);
    assertProblem(await test({}, '?webhook_id=999999'), 404, 'not-found');
    assert.equal(target.requests.length, 0);
  });

  describe('as an update of a webhook', () => {
    const create = (target_url: string) =>
      api.create('/webhooks', webhookInput({ target_url, authentication: BASIC, enabled: false }));
    const kept = { type: 'BASIC', key: 'crm' };

    test('uses its stored secret and its signing secret, and changes nothing', async () => {
      await using target = await startTarget();
      const { id } = await create(`${target.url}/old`);
      await api.post(`/webhooks/${id}/signing-secret`);
      const before = (await api.get(`/webhooks/${id}`)).body;
      const response = await api.post(
        `/webhooks/test?webhook_id=${id}`,
        webhookInput({ target_url: `${target.url}/new`, authentication: kept }),
      );
      assert.equal(response.status, 200, JSON.stringify(response.body));
      assert.equal(response.body.message.subscription_id, id);
      const [received] = target.requests;
      assert.equal(received?.path, '/new');
      assert.equal(received?.headers.authorization, `Basic ${btoa('crm:open sesame')}`);
      assert.match(String(received?.headers['webhook-signature']), /^v1,/);
      assert.equal(response.body.signed, true);
      assert.doesNotMatch(JSON.stringify(response.body), /open sesame/);
      assert.deepEqual((await api.get(`/webhooks/${id}`)).body, before);
    });

    test('never sends its stored secret to another origin or with another key', async () => {
      await using target = await startTarget();
      await using thief = await startTarget();
      const { id } = await create(target.url);
      const test = (overrides: Record<string, unknown>) =>
        api.post(`/webhooks/test?webhook_id=${id}`, webhookInput({ authentication: kept, ...overrides }));
      assertInvalid(await test({ target_url: thief.url }), ['/authentication/secret']);
      const otherKey = { type: 'BASIC', key: 'other' };
      assertInvalid(await test({ target_url: target.url, authentication: otherKey }), [
        '/authentication/secret',
      ]);
      assert.equal((await test({ target_url: thief.url, authentication: { type: 'NONE' } })).status, 200);
      assert.equal(thief.requests[0]?.headers.authorization, undefined);
      assert.equal(thief.requests.length, 1);
    });

    test('never signs a message to another origin, which could pass it on to the stored target', async () => {
      await using target = await startTarget();
      await using thief = await startTarget();
      const { id } = await create(target.url);
      await api.post(`/webhooks/${id}/signing-secret`);
      for (const authentication of [{ type: 'NONE' }, BASIC]) {
        const configuration = webhookInput({ target_url: thief.url, authentication });
        const { status, body } = await api.post(`/webhooks/test?webhook_id=${id}`, configuration);
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual([body.delivered, body.signed], [true, false]);
      }
      assert.equal(thief.requests.length, 2);
      for (const { headers } of thief.requests) assert.equal(headers['webhook-signature'], undefined);
      assert.equal((await api.post(`/webhooks/${id}/test`)).body.signed, true);
      assert.match(String(target.requests[0]?.headers['webhook-signature']), /^v1,/);
    });

    test('sends new credentials although the stored ones cannot be decrypted', async () => {
      await using target = await startTarget();
      const { id } = await create(target.url);
      await runSql(service.settings.data_dir, "update webhooks set credentials = 'damaged' where id = ?", id);
      const test = (authentication: object) =>
        api.post(`/webhooks/test?webhook_id=${id}`, webhookInput({ target_url: target.url, authentication }));
      assert.equal((await test(BASIC)).body.delivered, true);
      assertInvalid(await test(kept), ['/authentication/secret']);
      assert.equal(target.requests.length, 1);
    });
  });

  test('is limited to a few messages per caller at a time, for saved and unsaved webhooks together', async () => {
    const waiting: TargetExchange[] = [];
    await using target = await startTarget({ respondWith: (exchange) => void waiting.push(exchange) });
    const { id } = await api.create('/webhooks', webhookInput({ target_url: target.url, enabled: false }));
    const unsaved = () => api.post('/webhooks/test', webhookInput({ target_url: target.url }));
    const pending = Array.from({ length: MAX_TESTS_AT_A_TIME }, unsaved);
    await target.waitFor(MAX_TESTS_AT_A_TIME);
    for (const refused of [await unsaved(), await api.post(`/webhooks/${id}/test`)]) {
      assertProblem(refused, 429, 'too-many-requests');
      assert.equal(refused.headers.get('retry-after'), '5');
    }
    target.respondWith(answer(204));
    for (const exchange of waiting) answer(204)(exchange);
    for (const response of await Promise.all(pending)) assert.equal(response.body.delivered, true);
    assert.equal((await unsaved()).body.delivered, true);
  });
});
