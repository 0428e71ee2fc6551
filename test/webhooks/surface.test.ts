import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { eachPage, readWhole } from '../support/each-page.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';
import { assertInvalid, assertProblem, webhookInput } from './webhook-expectations.ts';

const WITHOUT_PAYLOAD = ['/statistics/reset', '/deliveries/redeliver'];

// Runs on SQLite in `npm test`: requests are read before anything is stored. The tests of lists and of large focuses read webhooks page by page on both.

describe('the HTTP surface of webhooks', () => {
  let service: TestService;
  let api: Api;
  let id: number;

  before(async () => {
    service = await startTestService();
    api = service.api;
    id = (await api.create('/webhooks', webhookInput())).id;
  });
  after(async () => {
    await service.stop();
    const failures = service.logLines.filter(({ level }) => level === 'error' || level === 'fatal');
    assert.deepEqual(failures, [], 'whatever was sent, the service failed at nothing');
  });

  test('an unknown id is 404 everywhere, whatever it looks like', async () => {
    const ids = [
      '999999',
      'abc',
      '0',
      '-1',
      '1e3',
      '1.0',
      '01',
      '%20',
      '%00',
      '1%2F2',
      '9007199254740993',
      '9'.repeat(4_000),
    ];
    const parts = [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/statistics'],
      ['POST', '/statistics/reset'],
      ['GET', '/deliveries'],
      ['GET', '/deliveries/1'],
      ['POST', '/deliveries/1/redeliver'],
      ['GET', '/line'],
      ['POST', '/line/retry'],
      ['POST', '/test'],
    ] as const;
    for (const unknown of ids) {
      for (const [method, part] of parts) {
        const body = method === 'PUT' ? webhookInput() : undefined;
        const answer = await api.call(method, `/webhooks/${unknown}${part}`, body);
        assertProblem(answer, 404, 'not-found', null, `${method} ${unknown.slice(0, 20)}${part}`);
      }
    }
    for (const unknown of ['abc', '0', '999999']) {
      assertProblem(await api.get(`/webhooks/${id}/deliveries/${unknown}`), 404, 'not-found');
    }
  });

  test('an unsupported method is 405 with the supported ones', async () => {
    const allowed = {
      '/webhooks': 'GET, HEAD, POST',
      [`/webhooks/${id}`]: 'GET, HEAD, PUT, DELETE',
      [`/webhooks/${id}/statistics`]: 'GET, HEAD',
      [`/webhooks/${id}/statistics/reset`]: 'POST',
      [`/webhooks/${id}/deliveries`]: 'GET, HEAD',
      [`/webhooks/${id}/test`]: 'POST',
    };
    for (const [path, expected] of Object.entries(allowed)) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (expected.split(', ').includes(method)) continue;
        const answer = await api.call(
          method,
          path,
          ['GET', 'OPTIONS'].includes(method) ? undefined : '{"name":',
        );
        assertProblem(answer, 405, 'method-not-allowed', null, `${method} ${path}`);
        assert.equal(answer.headers.get('allow'), expected, `${method} ${path}`);
      }
    }
  });

  test('a path with a missing id or a slash too many is 404 with every method', async () => {
    for (const path of [
      '/webhooks/',
      '/webhooks/?limit=1',
      '/webhooks//statistics',
      `/webhooks/${id}/deliveries/`,
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status, body } = await api.call(method, path);
        assert.deepEqual(
          [status, body.detail],
          [404, 'No resource exists at this path'],
          `${method} ${path}`,
        );
      }
    }
  });

  test('HEAD returns the headers of GET', async () => {
    for (const path of ['/webhooks', `/webhooks/${id}`, `/webhooks/${id}/statistics`]) {
      const get = await api.get(path);
      const head = await fetch(service.url + path, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${api.token}` },
      });
      assert.equal(head.status, 200);
      assert.equal(await head.text(), '');
      for (const field of ['content-type', 'content-length', 'etag', 'cache-control']) {
        assert.equal(head.headers.get(field), get.headers.get(field), `${field} of ${path}`);
      }
    }
  });

  test('bodies must be JSON: 415, 400 and 413 otherwise', async () => {
    for (const [method, path] of [
      ['POST', '/webhooks'],
      ['PUT', `/webhooks/${id}`],
    ] as const) {
      const send = (body: string, type = 'application/json') =>
        api.call(method, path, body, { 'content-type': type });
      const valid = JSON.stringify(webhookInput());
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'text/json',
      ]) {
        assertProblem(await send(valid, type), 415, 'unsupported-media-type', null, type);
      }
      for (const body of ['{"name":', valid.slice(0, -1), `${valid},`, '<webhook/>', 'name=a']) {
        assertProblem(await send(body), 400, 'malformed-json', null, body);
      }
      assertProblem(
        await send(JSON.stringify(webhookInput({ name: 'x'.repeat(1_048_576) }))),
        413,
        'content-too-large',
      );
      for (const body of ['null', '""', '[]', '[{}]', '1']) assertInvalid(await send(body), [''], body);
      assertInvalid(await send(''), ['']);
    }
    assert.equal((await api.get(`/webhooks/${id}`)).headers.get('etag'), '"1"', 'nothing was changed');
  });

  test('calls without a payload accept none, an empty one, and one that they ignore', async () => {
    for (const part of WITHOUT_PAYLOAD) {
      const path = `/webhooks/${id}${part}`;
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
        assert.ok((await api.post(path, '', { 'content-type': type })).status < 300, `${path} ${type}`);
      }
      assert.ok((await api.post(path)).status < 300);
      assert.ok((await api.post(path, {})).status < 300);
    }
  });

  test('prototypes cannot be polluted', async () => {
    const valid = JSON.stringify(webhookInput()).slice(1);
    assertInvalid(await api.post('/webhooks', `{"__proto__":{"enabled":false},${valid}`), ['/__proto__']);
    assertInvalid(await api.post('/webhooks', `{"constructor":{"prototype":{"enabled":false}},${valid}`), [
      '/constructor',
    ]);
    const nested = webhookInput({ focus: [], authentication: {} });
    const text = JSON.stringify(nested).replace(
      '"authentication":{}',
      '"authentication":{"__proto__":{"type":"BASIC"}}',
    );
    assertInvalid(await api.post('/webhooks', text), ['/authentication/__proto__']);
    for (const name of ['toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']) {
      assertInvalid(await api.post('/webhooks', webhookInput({ [name]: 1 })), [`/${name}`]);
    }
    const names: object[] = [
      { toString: 1 },
      { toString: null, valueOf: null },
      { length: 5 },
      { toJSON: 1 },
    ];
    for (const value of names) {
      const body = webhookInput({
        topic: value,
        subtopics: [value],
        focus: [value, { webhook_focus_type: value, webhook_focus_id: value }],
      });
      assert.equal((await api.post('/webhooks', body)).status, 400, JSON.stringify(value));
    }
    assert.equal(({} as Record<string, unknown>).enabled, undefined);
    assert.equal((await api.create('/webhooks', webhookInput())).enabled, true);
  });

  test('endless nesting is rejected, even in ignored members', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const members = [
      'id',
      'name',
      'topic',
      'subtopics',
      'focus',
      'target_url',
      'authentication',
      'max_attempts',
      'unknown',
    ];
    for (const member of members) {
      const text = JSON.stringify(webhookInput({ [member]: 0 })).replace(
        `"${member}":0`,
        `"${member}":${deep}`,
      );
      const answer = await api.post('/webhooks', text);
      assertProblem(answer, 400, 'invalid-request', null, member);
      assert.ok(JSON.stringify(answer.body).length < 2_000, member);
    }
  });
});

describe('the list of webhooks', () => {
  let service: TestService;
  let api: Api;
  const ids: number[] = [];

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
    for (let index = 0; index < 55; index++) {
      ids.push(
        (await api.create('/webhooks', webhookInput({ name: `Webhook ${index}`, enabled: index % 2 === 0 })))
          .id,
      );
    }
  });

  const idsOf = (body: { data: { id: number }[] }) => body.data.map((each) => each.id);
  async function readAll(limit: number): Promise<number[]> {
    const found: number[] = [];
    for await (const body of eachPage((page) => api.get(page), `/webhooks?limit=${limit}`)) {
      assert.ok(body.data.length <= limit);
      if (body.next_cursor !== null) assert.equal(body.data.length, limit, 'only the last page is short');
      found.push(...idsOf(body));
    }
    return found;
  }

  test('has pages of 50 by default, ordered by id', async () => {
    const { body } = await api.get('/webhooks');
    assert.deepEqual(Object.keys(body), ['data', 'next_cursor']);
    assert.deepEqual(idsOf(body), ids.slice(0, 50));
    const rest = await api.get(`/webhooks?cursor=${body.next_cursor}`);
    assert.deepEqual(idsOf(rest.body), ids.slice(50));
    assert.equal(rest.body.next_cursor, null);
  });

  test('has each webhook once, whatever the page size', async () => {
    for (const limit of [1, 7, 54, 55, 56, 200]) assert.deepEqual(await readAll(limit), ids, String(limit));
  });

  test('continues at the same place when webhooks are deleted in the meantime', async () => {
    const made = await api.create('/webhooks', webhookInput());
    const { body } = await api.get(`/webhooks?limit=${ids.length}`);
    const between = await api.create('/webhooks', webhookInput());
    await api.delete(`/webhooks/${made.id}`);
    const rest = await api.get(`/webhooks?cursor=${body.next_cursor}`);
    assert.deepEqual(idsOf(rest.body), [between.id]);
    await api.delete(`/webhooks/${between.id}`);
  });

  test('accepts limits from 1 to 200 and its own cursors', async () => {
    for (const limit of ['0', '201', '-1', 'abc', '1.5', '', '1&limit=2']) {
      assertInvalid(await api.get(`/webhooks?limit=${limit}`), ['/query/limit'], limit);
    }
    const garbage = [
      '',
      'abc',
      'MQ==',
      'LTE',
      'MHgxMA',
      '%00',
      'x'.repeat(201),
      'MQ&cursor=MQ',
      '%F0%9F%9A%92',
      'OTk5OTk5OTk5OTk5OTk5OTk',
    ];
    for (const cursor of garbage)
      assertInvalid(await api.get(`/webhooks?cursor=${cursor}`), ['/query/cursor'], cursor);
    assert.deepEqual(idsOf((await api.get('/webhooks?cursor=OTk5OTk5')).body), [], 'beyond the last');
  });

  test('can be read when webhooks have as many focuses as they may', async () => {
    const made: number[] = [];
    for (let webhook = 0; webhook < 34; webhook++) {
      const focus = Array.from({ length: 1_000 }, (_, index) => ({
        webhook_focus_type: 'ACCOUNT',
        webhook_focus_id: webhook * 1_000 + index + 1,
      }));
      made.push((await api.create('/webhooks', webhookInput({ enabled: false, focus }))).id);
    }
    const listed = await readWhole((page) => api.get(page), '/webhooks?limit=200');
    assert.deepEqual(
      listed.map(({ id }) => id),
      [...ids, ...made],
      'a page ends early, and the next one begins behind it',
    );
    for (const id of made) await api.delete(`/webhooks/${id}`);
  });
});
