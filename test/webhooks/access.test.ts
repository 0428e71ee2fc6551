import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import {
  type Answer,
  Api,
  createClient,
  requestToken,
  startTestService,
  type TestService,
} from '../support/service.ts';
import { assertProblem, webhookInput } from './webhook-expectations.ts';

// Runs on SQLite alone: the tests of access tokens look them up on both databases.

interface Call {
  method: string;
  path: string;
  scope: 'webhooks:read' | 'webhooks:write';
  body?: unknown;
}

/** Every call of the webhooks API, on a webhook that does not exist: a caller without access must not learn that. */
const CALLS: readonly Call[] = [
  { method: 'POST', path: '/webhooks', scope: 'webhooks:write', body: webhookInput() },
  { method: 'GET', path: '/webhooks', scope: 'webhooks:read' },
  { method: 'HEAD', path: '/webhooks', scope: 'webhooks:read' },
  { method: 'GET', path: '/webhooks/999', scope: 'webhooks:read' },
  { method: 'HEAD', path: '/webhooks/999', scope: 'webhooks:read' },
  { method: 'PUT', path: '/webhooks/999', scope: 'webhooks:write', body: webhookInput() },
  { method: 'DELETE', path: '/webhooks/999', scope: 'webhooks:write' },
  { method: 'GET', path: '/webhooks/999/statistics', scope: 'webhooks:read' },
  { method: 'POST', path: '/webhooks/999/statistics/reset', scope: 'webhooks:write' },
  { method: 'GET', path: '/webhooks/999/deliveries', scope: 'webhooks:read' },
  { method: 'GET', path: '/webhooks/999/deliveries/1', scope: 'webhooks:read' },
  { method: 'POST', path: '/webhooks/999/deliveries/1/redeliver', scope: 'webhooks:write' },
  { method: 'POST', path: '/webhooks/999/deliveries/redeliver', scope: 'webhooks:write' },
  { method: 'GET', path: '/webhooks/999/line', scope: 'webhooks:read' },
  { method: 'POST', path: '/webhooks/999/line/retry', scope: 'webhooks:write' },
  { method: 'POST', path: '/webhooks/999/line/skip', scope: 'webhooks:write' },
  { method: 'GET', path: '/webhooks/999/line/messages', scope: 'webhooks:read' },
  { method: 'GET', path: '/webhooks/999/line/messages/1', scope: 'webhooks:read' },
  { method: 'POST', path: '/webhooks/999/line/messages/1/skip', scope: 'webhooks:write' },
  { method: 'POST', path: '/webhooks/999/line/purge', scope: 'webhooks:write' },
  { method: 'POST', path: '/webhooks/999/deliveries/remove', scope: 'webhooks:write' },
  { method: 'POST', path: '/webhooks/999/test', scope: 'webhooks:write' },
];

describe('access to the webhooks API', () => {
  let service: TestService;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  async function tokenWith(scopes: readonly string[]): Promise<string> {
    const { clientId, clientSecret } = await createClient(service.settings.data_dir, { scopes });
    return await requestToken(service.url, clientId, clientSecret);
  }
  async function send({ method, path, body }: Call, headers: Record<string, string>): Promise<Answer> {
    const response = await fetch(service.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? '' : JSON.parse(text) };
  }
  function assertRefused(answer: Answer, call: Call, status: 401 | 403, challenge: string): void {
    const what = `${call.method} ${call.path}`;
    assert.equal(answer.status, status, what);
    assert.equal(answer.headers.get('www-authenticate'), challenge, what);
    if (call.method !== 'HEAD')
      assertProblem(answer, status, status === 401 ? 'unauthorized' : 'forbidden', null, what);
  }

  test('401 without a token, without an error code', async () => {
    for (const call of CALLS) {
      assertRefused(await send(call, {}), call, 401, 'Bearer realm="coursewire"');
      assertRefused(
        await send(call, { authorization: 'Basic dXNlcjpwYXNz' }),
        call,
        401,
        'Bearer realm="coursewire"',
      );
    }
  });

  test('401 with invalid_token for an invalid token', async () => {
    const tampered = `${service.api.token.slice(0, -4)}AAAA`;
    for (const call of CALLS) {
      for (const token of ['nonsense', tampered, '']) {
        assertRefused(
          await send(call, { authorization: `Bearer ${token}` }),
          call,
          401,
          'Bearer realm="coursewire", error="invalid_token"',
        );
      }
    }
  });

  test('403 with the required scope for a token without it', async () => {
    const all = ['content:read', 'content:write', 'webhooks:read', 'webhooks:write', 'registrations:write'];
    for (const scope of ['webhooks:read', 'webhooks:write'] as const) {
      const token = await tokenWith(all.filter((each) => each !== scope));
      const none = await tokenWith([]);
      for (const call of CALLS.filter((each) => each.scope === scope)) {
        for (const authorization of [`Bearer ${token}`, `Bearer ${none}`]) {
          const challenge = `Bearer realm="coursewire", error="insufficient_scope", scope="${scope}"`;
          assertRefused(await send(call, { authorization }), call, 403, challenge);
        }
      }
    }
  });

  test('a token with the scope of the call is enough', async () => {
    for (const scope of ['webhooks:read', 'webhooks:write'] as const) {
      const authorization = `Bearer ${await tokenWith([scope])}`;
      for (const call of CALLS.filter((each) => each.scope === scope)) {
        const { status } = await send(call, { authorization });
        assert.ok([200, 201, 404].includes(status), `${call.method} ${call.path}: ${status}`);
      }
    }
  });

  test('the body of an unauthorized call is not read', async () => {
    for (const body of ['{"name":', 'x'.repeat(2_000_000)]) {
      const answer = await new Api(service.url, 'nonsense').post('/webhooks', body);
      assertProblem(answer, 401, 'unauthorized');
    }
  });
});
