import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import { alertInput } from '../alerts/alert-helpers.ts';
import { WHO_MAY_CALL } from '../identity/administrators/who-may-call.ts';
import { type Browser, createAdministrator, signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { type Answer, startTestService, type TestService } from '../support/service.ts';
import { assertInvalid, assertProblem, webhookInput } from '../webhooks/webhook-expectations.ts';

// Runs on SQLite alone: the requests are refused before anything is stored.

/**
 * Pages, files, monitoring and the token endpoint accept any query. The LRS refuses unknown members as its standard
 * requires.
 */
const FREE =
  /^\w+ \/(?:$|ui$|ui\/(?!api\/)|\.well-known\/|docs|openapi\.json|health\/|metrics$|launch\/|public\/v1\/auth$|xapi\/)/;

describe('a query member that a route does not know', () => {
  let service: TestService;
  let browser: Browser;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    await createAdministrator(service.settings.data_dir);
    browser = await signedInBrowser(service.url);
  });

  test('is rejected by every route of the API and of the UI’s interface, before anything is done', async () => {
    const { api } = service;
    const existing: Record<string, number> = {
      webhook_id: (await api.create('/webhooks', webhookInput())).id,
      alert_id: (await api.create('/alerts', alertInput('http://127.0.0.1:9/'))).id,
    };
    let refused = 0;
    for (const route of WHO_MAY_CALL.keys()) {
      if (FREE.test(route) || route.startsWith('HEAD ')) continue;
      const [method = '', path = ''] = route.split(' ');
      const place = path.replaceAll(/:(\w+)/g, (_, name: string) => String(existing[name] ?? 900_001));
      const address = `${place}?resetstatistics=true&limt=3&message_id2`;
      const answer = await browser.call(method, address);
      assert.equal(answer.status, 400, `${route}: ${JSON.stringify(answer.body)}`);
      const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      for (const name of ['resetstatistics', 'limt', 'message_id2']) {
        assert.ok(pointers.includes(`/query/${name}`), `${route}: ${pointers}`);
      }
      refused += 1;
    }
    assert.ok(refused > 70, `${refused} routes`);
    assert.equal((await browser.call('GET', '/ui/api/session')).status, 200, 'nobody was signed out');
    for (const path of [`/webhooks/${existing.webhook_id}`, `/alerts/${existing.alert_id}`])
      assert.equal((await api.get(path)).headers.get('etag'), '"1"', 'nothing was changed or deleted');
  });

  test('is ignored on routes where links and machines add members of their own', async () => {
    const paths = ['/', '/ui/', '/docs', '/openapi.json', '/.well-known/oauth-authorization-server'];
    for (const path of [...paths, '/health/live', '/health/ready', '/metrics']) {
      const answer = await fetch(`${service.url}${path}?utm_source=x&cb=1`);
      assert.equal(answer.status, 200, path);
      await answer.text();
    }
  });

  test('is named together with all other errors', async () => {
    const { api } = service;
    const webhook = await api.create('/webhooks', webhookInput());
    assertInvalid(await api.put(`/webhooks/${webhook.id}?resetstatistics=true`, webhook), [
      '/query/resetstatistics',
    ]);
    assertInvalid(await api.put(`/webhooks/${webhook.id}?resetstatistics=true`, { ...webhook, name: 7 }), [
      '/query/resetstatistics',
      '/name',
    ]);
    assertInvalid(await api.put(`/webhooks/${webhook.id}?a=1&resetStatistics=x`, webhook), [
      '/query/a',
      '/query/resetStatistics',
    ]);
    assertInvalid(await api.post('/accounts?dry_run=true', { nam: 'x' }), [
      '/query/dry_run',
      '/nam',
      '/name',
    ]);
    assertInvalid(await api.get('/accounts?limit=0&Cursor=x'), ['/query/limit', '/query/Cursor']);
    assertInvalid(await api.get('/accounts?a~b%2Fc=1&__proto__=1'), ['/query/a~0b~1c', '/query/__proto__']);
    assert.equal(
      (await api.get(`/webhooks/${webhook.id}`)).headers.get('etag'),
      '"1"',
      'nothing was changed',
    );
  });

  test('is not named to callers without access, and at most a hundred are named', async () => {
    const unknown = await fetch(`${service.url}/webhooks?x=1`);
    assert.equal(unknown.status, 401);
    const many = Array.from({ length: 500 }, (_, index) => `m${index}=1`).join('&');
    const answer = await service.api.get(`/accounts?${many}`);
    assertProblem(answer, 400, 'invalid-request');
    assert.ok(answer.body.errors.length <= 100);
  });
});

describe('a query that is not percent-encoded UTF-8', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
  });
  const get = (query: string) => exchange(service, { path: `/registrations?${query}` });
  const NOT_UTF8 = 'must be percent-encoded UTF-8';

  test('is rejected, because its literal text would find nothing', async () => {
    for (const value of ['M%FCller', '%ZZ', '100%', '%', '%C3', '%ED%A0%80', 'a=%FC', '+%2', 'x?%FF']) {
      const { status, body } = await get(`learner_id=${value}`);
      assert.equal(status, 400, value);
      assert.deepEqual(body.errors, [{ pointer: '/query/learner_id', detail: NOT_UTF8 }], value);
    }
  });

  test('is accepted if it is encoded, whatever its characters are', async () => {
    for (const value of ['M%C3%BCller', '100%25', 'a%3db=c', '%F0%9F%98%80', 'a+b', '%EF%BF%BD']) {
      const { status, body } = await get(`&learner%5Fid=${value}&`);
      assert.deepEqual([status, body.data], [200, []], value);
    }
  });

  test('is named once for each member, together with all other errors', async () => {
    const query = 'limit=%&learner_id=%FC&learner_id=x&%7e%2f=%FC&limt%=1&a=%E4&a=%F6&course_id=x';
    assertInvalid(await get(query), [
      '/query/learner_id',
      '/query/limit',
      '/query/course_id',
      '/query/~0~1',
      '/query/limt%',
      '/query/a',
    ]);
  });

  test('is accepted by pages, to which links lead', async () => {
    assert.equal((await exchange(service, { path: '/docs?q=%FC' })).status, 200);
  });
});

describe('a body of a GET or HEAD', () => {
  let service: TestService;
  let account: number;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
    account = (await service.api.create('/accounts', { name: 'Northwind' })).id;
  });
  const REFUSED = [{ pointer: '', detail: 'must be empty: filters belong in the query' }];
  const FILTER = '{"learner_id":"ann"}';

  test('is rejected, so that no filter is lost', async () => {
    for (const path of ['/registrations', '/accounts', `/accounts/${account}`, '/events', '/audit-log']) {
      for (const length of [{ 'content-length': FILTER.length }, { 'transfer-encoding': 'chunked' }]) {
        const { status, body } = await exchange(service, { path, headers: length, sent: FILTER });
        assert.deepEqual([status, body.errors], [400, REFUSED], path);
        const head = await exchange(service, { method: 'HEAD', path, headers: length, sent: FILTER });
        assert.equal(head.status, 400, path);
      }
    }
  });

  test('is named together with all other errors', async () => {
    const path = '/audit-log?limit=0&typo=1&object_id=1';
    assertInvalid(await exchange(service, { path, headers: { 'content-length': 2 }, sent: '{}' }), [
      '/query/limit',
      '/query/typo',
      '/query/object_id',
      '',
    ]);
  });

  test('may have a length of 0, which some clients always send', async () => {
    for (const method of ['GET', 'HEAD']) {
      const headers = { 'content-length': 0, 'content-type': 'application/json' };
      assert.equal((await exchange(service, { method, path: '/registrations', headers })).status, 200);
    }
  });

  test('is ignored by pages and files, which have no filters', async () => {
    for (const path of ['/docs', '/ui/', '/openapi.json', '/health/live']) {
      const headers = { 'content-length': FILTER.length };
      assert.equal((await exchange(service, { path, headers, sent: FILTER })).status, 200, path);
    }
  });

  test('is rejected before it has arrived, and its connection can be used again afterwards', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const large = Buffer.alloc(4 * MIB, 'x');
      const slow = call(service, { path: '/accounts', headers: { 'content-length': large.length }, agent });
      slow.write(large.subarray(0, MIB));
      const { status, body } = await answerTo(slow);
      assert.deepEqual([status, body.errors], [400, REFUSED]);
      assert.equal((await service.api.get('/accounts')).status, 200, 'on another connection');
      const connection = slow.socket;
      assert.ok(connection);
      slow.end(large.subarray(MIB));
      const next = call(service, { path: '/accounts', agent });
      assert.equal((await answerTo(next.end())).status, 200);
      assert.equal(next.socket, connection);
    } finally {
      agent.destroy();
    }
  });
});

describe('a body of a call that has none', () => {
  let service: TestService;
  let bodiless: { method: string; path: string }[];

  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
    const { paths } = (await service.api.get('/openapi.json')).body;
    bodiless = Object.entries<Record<string, { requestBody?: object }>>(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method, { requestBody }]) => /post|delete/.test(method) && requestBody === undefined)
        .map(([method]) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, '900001') })),
    );
    assert.ok(bodiless.length > 20, `${bodiless.length} calls`);
  });

  test('is rejected with its members, by every such call', async () => {
    for (const { method, path } of bodiless) {
      const answer = await service.api.call(method, path, { 'a/b': 1, typo: null });
      assertProblem(answer, 400, 'invalid-request');
      const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      for (const name of ['/a~1b', '/typo'])
        assert.ok(pointers.includes(name), `${method} ${path}: ${pointers}`);
    }
  });

  test('may be empty, because many clients always send one', async () => {
    for (const { method, path } of bodiless) {
      for (const body of ['{}', '[]', 'null', '']) {
        const { status, body: problem } = await service.api.call(method, path, body);
        const pointers = (problem.errors ?? []).map(({ pointer }: { pointer: string }) => pointer);
        const wrong = pointers.filter((pointer: string) => !/^\/(?:query|params)\//.test(pointer));
        assert.deepEqual(wrong, [], `${method} ${path} ${body}: ${status}`);
      }
    }
  });

  test('may be empty although the header announces one of unknown length, but no other byte may come', async () => {
    const headers = { 'transfer-encoding': 'chunked' };
    for (const { method, path } of bodiless) {
      const { status } = await exchange(service, { method, path, headers });
      assert.ok(status !== 415 && status < 500, `${method} ${path}: ${status}`);
    }
    const path = '/webhooks/900001';
    assert.equal((await exchange(service, { method: 'DELETE', path, headers, sent: 'x' })).status, 415);
    const begun = call(service, { method: 'DELETE', path, headers });
    begun.write('{');
    assert.equal((await answerTo(begun)).status, 415, 'before the end of the body');
    begun.destroy();
  });

  test('must be empty if it has no members to name', async () => {
    for (const body of ['"all"', '1', 'true', '[{ "delivery_id": 1 }]']) {
      assertInvalid(await service.api.post('/webhooks/1/deliveries/redeliver', body), ['']);
    }
  });

  test('does not lose a filter: nothing is purged, redelivered or removed', async () => {
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput());
    await api.create('/accounts', { name: 'Northwind' });
    const purge = `/webhooks/${id}/line/purge`;
    const refused = await api.post(purge, { until_dt: '2020-01-01T00:00:00Z' });
    assertInvalid(refused, ['/until_dt']);
    assert.deepEqual(refused.body.errors, [{ pointer: '/until_dt', detail: 'belongs in the query' }]);
    assert.equal((await api.get(`/webhooks/${id}/line`)).body.depth, 1);
    assert.equal((await api.post(purge, {})).body.purged, 1);
    const redeliver = `/webhooks/${id}/deliveries/redeliver`;
    assertInvalid(await api.post(`${redeliver}?all=1`, { delivery_id: [2], status: 'DISCARDED' }), [
      '/query/all',
      '/delivery_id',
      '/status',
    ]);
    const discarded = await api.post(`${redeliver}?status=DISCARDED`);
    assert.equal(discarded.body.redelivered, 1, 'the purged message was left alone');
  });

  test('is named together with invalid members of the query, and at most a hundred members are named', async () => {
    const { api } = service;
    assertInvalid(await api.post('/webhooks/1/line/purge?limit=0', { until: 1 }), ['/query/limit', '/until']);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, 1]));
    const answer = await api.post('/webhooks/1/line/purge', many);
    assertProblem(answer, 400, 'invalid-request');
    assert.equal(answer.body.errors.length, 100);
    assert.match(answer.body.detail, /at least 500 errors/);
    const inRecord = await api.post('/accounts', { ...many, name: 'Northwind' });
    assert.match(inRecord.body.detail, /at least 101 errors; the first 100 are listed/);
  });
});

/** A request that `fetch` would not send: a GET with a body, or a query that is not encoded. */
interface RawCall {
  method?: string;
  path: string;
  headers?: Record<string, string | number>;
  agent?: Agent;
}

function call(
  { url, api }: TestService,
  { method = 'GET', path, headers = {}, agent }: RawCall,
): ClientRequest {
  const authorization = `Bearer ${api.token}`;
  const { hostname, port } = new URL(url);
  return request({ hostname, port, method, path, headers: { ...headers, authorization }, agent });
}

async function answerTo(sent: ClientRequest): Promise<Answer> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const received = await text(response);
  const isJson = /json/.test(response.headers['content-type'] ?? '') && received !== '';
  const headers = new Headers(response.headers as Record<string, string>);
  return { status: response.statusCode ?? 0, headers, body: isJson ? JSON.parse(received) : {} };
}

async function exchange(
  service: TestService,
  { sent, ...raw }: RawCall & { sent?: string },
): Promise<Answer> {
  return await answerTo(call(service, raw).end(sent));
}
