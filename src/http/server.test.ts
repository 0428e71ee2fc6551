import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { createLogs } from '../observability/log.ts';
import type { Routes } from './routes.ts';
import { Id, Name } from './schemas.ts';
import { createServer } from './server.ts';

const MAX_BODY_BYTES = 1_048_576;
/** Far above what the work takes, far below what it took when its cost grew with the square of the input. */
const QUICK_MS = 2_500;

interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  errors?: { pointer: string; detail: string }[];
}

describe('the server', () => {
  let server: Routes;
  let url: string;
  const lines: string[] = [];

  before(async () => {
    const logs = createLogs({
      level: 'info',
      customLevels: {},
      destination: { write: (line) => void lines.push(line) },
    });
    server = createServer({
      log: logs.for('HttpServer'),
      maxBodyBytes: MAX_BODY_BYTES,
      trustedProxies: [],
      basePath: '',
    });
    const Thing = Type.Object(
      {
        name: Name('Its name.'),
        parts: Type.Optional(
          Type.Array(Type.Object({ id: Id('Its id.'), of: Type.Literal('A') }), { maxItems: 3 }),
        ),
        note: Type.Optional(Type.Unknown()),
      },
      { additionalProperties: false },
    );
    server.post('/things', { schema: { body: Thing } }, async (request) => request.body);
    const Limits = Type.Object({
      code: Type.String({ minLength: 1, maxLength: 3 }),
      secret: Type.String({ minLength: 12 }),
      score: Type.Integer({ minimum: 0, maximum: 100 }),
      tags: Type.Array(Type.String(), { minItems: 1, maxItems: 2, uniqueItems: true }),
    });
    server.post('/limits', { schema: { body: Limits } }, async () => ({ accepted: true }));
    server.get('/things/:id', async () => ({ read: true }));
    server.post('/things/:id/touch', async () => ({ touched: true }));
    server.get('/pages/*', (_request, reply) => reply.callNotFound());
    server.post('/broken', async () => {
      throw new Error('the password is hunter2');
    });
    url = await server.listen({ host: '127.0.0.1', port: 0 });
  });
  after(() => server.close());

  async function send(
    method: string,
    path: string,
    body?: string | Buffer<ArrayBuffer>,
    contentType?: string,
  ) {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async function problemOf(
    method: string,
    path: string,
    body?: string | Buffer<ArrayBuffer>,
    contentType = 'application/json',
  ) {
    const { status, headers, text } = await send(method, path, body, contentType);
    assert.equal(headers.get('content-type'), 'application/problem+json', text);
    const problem = JSON.parse(text) as Problem;
    assert.equal(problem.status, status);
    assert.match(problem.type, /^urn:coursewire:problem:[a-z-]+$/);
    assert.ok(problem.title.length > 0 && problem.detail.length > 0);
    return { ...problem, code: problem.type.slice('urn:coursewire:problem:'.length), headers };
  }

  test('a value beyond a limit is rejected with a sentence that says what is allowed', async () => {
    const detailsOf = async (body: unknown) => {
      const { errors = [] } = await problemOf('POST', '/limits', JSON.stringify(body));
      return Object.fromEntries(errors.map(({ pointer, detail }) => [pointer, detail]));
    };
    assert.deepEqual(await detailsOf({ code: '', secret: 'short', score: -1, tags: [] }), {
      '/code': 'must not be empty',
      '/secret': 'must have at least 12 characters',
      '/score': 'must be at least 0',
      '/tags': 'must have at least 1 item',
    });
    const secret = 'long enough for it';
    assert.deepEqual(await detailsOf({ code: 'abcd', secret, score: 101, tags: ['a', 'b', 'c'] }), {
      '/code': 'must have at most 3 characters',
      '/score': 'must be at most 100',
      '/tags': 'must have at most 2 items',
    });
    assert.deepEqual(await detailsOf({ code: 'abc', secret, score: 1, tags: ['a', 'a'] }), {
      '/tags': 'must not have duplicates: items 0 and 1 are equal',
    });
  });

  describe('bodies', () => {
    test('are JSON, whatever parameters the media type has', async () => {
      for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;x=y']) {
        const { status, text } = await send('POST', '/things', '{"name":"Zoë 🚒"}', type);
        assert.deepEqual([status, JSON.parse(text)], [200, { name: 'Zoë 🚒' }], type);
      }
    });

    test('of another media type, or of none, are 415', async () => {
      for (const type of [
        'text/plain',
        'text/plain;charset=UTF-8',
        'application/x-www-form-urlencoded',
        'application/xml',
      ]) {
        assert.equal(
          (await problemOf('POST', '/things', '{"name":"a"}', type)).code,
          'unsupported-media-type',
          type,
        );
      }
      for (const type of ['application/merge-patch+json', 'application/jsonp', 'json', '; charset=utf-8']) {
        assert.equal((await problemOf('POST', '/things', '{"name":"a"}', type)).status, 415, type);
      }
      const untyped = await exchange(
        'POST /things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 12\r\n\r\n{"name":"a"}',
      );
      assert.match(untyped, /^HTTP\/1\.1 415 /);
    });

    test('that are compressed are 415', async () => {
      const compressed = gzipSync('{"name":"a"}');
      const response = await fetch(`${url}/things`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: compressed,
      });
      assert.equal(response.status, 415);
      assert.match(((await response.json()) as Problem).detail, /Content-Encoding/);
    });

    test('that are empty are none: calls without payload take them under any media type', async () => {
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
        assert.equal((await send('POST', '/things/1/touch', '', type)).status, 200, type);
      }
      assert.equal((await send('POST', '/things/1/touch')).status, 200);
      for (const body of ['', undefined]) {
        const problem = await problemOf('POST', '/things', body);
        assert.equal(problem.code, 'invalid-request');
        assert.deepEqual(problem.errors, [{ pointer: '', detail: 'must be an object' }]);
      }
    });

    test('that are no JSON are 400', async () => {
      for (const body of [
        '{"name":',
        '{name:"a"}',
        "{'name':'a'}",
        '{"name":"a"}}',
        '\u0000',
        '{"name":"a\u0001"}',
        ' ',
      ]) {
        assert.equal((await problemOf('POST', '/things', body)).code, 'malformed-json', body);
      }
    });

    test('in another encoding are 400: a mangled name is stored nowhere', async () => {
      const latin1 = Buffer.from('{"name":"M\u00fcller"}', 'latin1');
      const problem = await problemOf('POST', '/things', latin1);
      assert.equal(problem.code, 'malformed-json');
      assert.match(problem.detail, /UTF-8/);
      assert.equal(
        (await send('POST', '/things', Buffer.from('\ufeff{"name":"a"}'), 'application/json')).status,
        200,
      );
    });

    test('with half a character are 400 and the member is named', async () => {
      const problem = await problemOf(
        'POST',
        '/things',
        '{"name":"a\\uD83D","note":[{"x":"\\ude00\\ud83d"},"\\ud83d\\ude00"]}',
      );
      assert.equal(problem.code, 'invalid-request');
      assert.deepEqual(
        problem.errors?.map(({ pointer }) => pointer),
        ['/name', '/note/0/x'],
      );
      assert.equal(
        (await send('POST', '/things', '{"name":"\\ud83d\\ude92"}', 'application/json')).status,
        200,
      );
    });

    test('that try to reach a prototype are 400 and reach none', async () => {
      const attempts = {
        '{"__proto__":{"polluted":1},"name":"a"}': ['/__proto__'],
        '{"name":"a","\\u005f_proto__":{"polluted":1}}': ['/__proto__'],
        '{"name":"a","note":{"__pr\\u006fto__":{"polluted":1}}}': ['/note/__proto__'],
        '{"name":"a","note":{"deep":[{"__proto__":{"polluted":1}}]}}': ['/note/deep/0/__proto__'],
        '{"name":"a","constructor":{"prototype":{"polluted":1}}}': ['/constructor'],
      };
      for (const [body, pointers] of Object.entries(attempts)) {
        const problem = await problemOf('POST', '/things', body);
        assert.equal(problem.code, 'invalid-request', body);
        assert.deepEqual(
          problem.errors?.map(({ pointer }) => pointer),
          pointers,
          body,
        );
      }
      assert.equal(({} as Record<string, unknown>).polluted, undefined);
      assert.equal((await send('POST', '/things', '{"name":"__proto__"}', 'application/json')).status, 200);
    });

    test('nested deeper than anything needs are 400, wherever they are', async () => {
      const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
      for (const depth of [65, 5_000, 300_000]) {
        for (const member of ['name', 'parts', 'note', 'unknown']) {
          const problem = await problemOf('POST', '/things', `{"name":"a","${member}":${nested(depth)}}`);
          assert.equal(problem.code, 'invalid-request');
          assert.ok(JSON.stringify(problem).length < 2_000, `${member} ${depth}`);
        }
      }
      const objects = `{"name":"a","note":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`;
      assert.match((await problemOf('POST', '/things', objects)).detail, /64 levels/);
      for (const body of [
        `{"name":"a","note":${nested(63)}}`,
        `{"name":"${'['.repeat(90)}","note":["\\"[[${'{'.repeat(90)}",{}]}`,
        `{"name":"a","note":[${Array.from({ length: 100 }, () => '[{}]')}]}`,
      ]) {
        assert.equal((await send('POST', '/things', body, 'application/json')).status, 200, body);
      }
    });

    test('over the limit are 413, with or without a Content-Length', async () => {
      const large = `{"name":"${'a'.repeat(MAX_BODY_BYTES)}"}`;
      assert.equal((await problemOf('POST', '/things', large)).code, 'content-too-large');
      const told = await exchange(
        `POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`,
      );
      assert.match(told, /^HTTP\/1\.1 413 /, 'before a byte of the body came');
      const chunk = 'a'.repeat(65_536);
      const chunked = `POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`10000\r\n${chunk}\r\n`.repeat(17)}`;
      assert.match(await exchange(chunked), /^HTTP\/1\.1 413 /);
    });
  });

  describe('hostile input makes no hostile answer', () => {
    test('at most 100 members are named of a body in which everything is wrong', async () => {
      const bodies = {
        members: Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`x${index}`, 0])),
        items: { name: 'a', parts: Array.from({ length: 200_000 }, () => ({})) },
      };
      for (const [label, body] of Object.entries(bodies)) {
        const began = performance.now();
        const problem = await problemOf('POST', '/things', JSON.stringify(body));
        const { length = 0 } = problem.errors ?? [];
        assert.ok(length > 1 && length <= 100, `${length} ${label}`);
        assert.ok(JSON.stringify(problem).length < 20_000, label);
        assert.ok(performance.now() - began < QUICK_MS, `${label}: ${performance.now() - began} ms`);
      }
    });

    test('a member with an endless name is named by its beginning', async () => {
      const problem = await problemOf(
        'POST',
        '/things',
        JSON.stringify({ name: 'a', ['y'.repeat(900_000)]: 1 }),
      );
      assert.equal(problem.errors?.length, 1);
      assert.ok(problem.errors?.[0]?.pointer.startsWith('/yyyyyyyy'));
      assert.ok(JSON.stringify(problem).length < 3_000);
    });

    test('a name that almost fits costs no time', async () => {
      for (const name of [
        `${'a'.repeat(300_000)}\u0001`,
        `${' '.repeat(300_000)}\u0001`,
        ' '.repeat(300_000),
      ]) {
        const began = performance.now();
        await problemOf('POST', '/things', JSON.stringify({ name }));
        assert.ok(performance.now() - began < QUICK_MS, `${performance.now() - began} ms`);
      }
    });

    test('a failure says nothing of itself', async () => {
      const problem = await problemOf('POST', '/broken');
      assert.equal(problem.code, 'internal-error');
      assert.doesNotMatch(JSON.stringify(problem), /hunter2|Error|\.ts/);
    });
  });

  describe('paths and methods', () => {
    test('a path without anything is 404, whatever the body', async () => {
      assert.equal((await problemOf('GET', '/nothing')).code, 'not-found');
      assert.equal((await problemOf('POST', '/nothing', '{"name":')).code, 'not-found');
      assert.equal((await problemOf('POST', '/nothing', 'text', 'text/plain')).code, 'not-found');
    });

    test('a path that is malformed is 400, one with an endless id names nothing', async () => {
      assert.equal((await problemOf('GET', '/things/%')).code, 'invalid-request');
      assert.equal((await problemOf('GET', '/things/%E0%A4%A')).code, 'invalid-request');
      assert.equal((await problemOf('GET', `/things/${'9'.repeat(5_000)}`)).code, 'not-found');
    });

    test('a method that a path does not take is 405 with those that it does, whatever the body', async () => {
      const allowed = async (method: string, path: string, body?: string, type?: string) => {
        const problem = await problemOf(method, path, body, type);
        assert.equal(problem.code, 'method-not-allowed');
        return problem.headers.get('allow');
      };
      assert.equal(await allowed('DELETE', '/things'), 'POST');
      assert.equal(await allowed('PATCH', '/things/1', '{"a":'), 'GET, HEAD');
      assert.equal(await allowed('PUT', '/things/1', 'a', 'text/plain'), 'GET, HEAD');
      assert.equal(await allowed('OPTIONS', '/things/1?a=b'), 'GET, HEAD');
      assert.equal(await allowed('GET', '/things/1/touch'), 'POST');
    });

    test('what a route does not know at a path that it takes is 404', async () => {
      assert.equal((await problemOf('GET', '/pages/none')).code, 'not-found');
    });

    test('HEAD is GET without the body', async () => {
      const get = await send('GET', '/things/1');
      const head = await send('HEAD', '/things/1');
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      assert.equal(head.headers.get('content-length'), String(get.text.length));
    });
  });

  describe('what is hardly HTTP', () => {
    test('is answered with a problem too', async () => {
      const garbage = await exchange('GARBAGE\r\n\r\n');
      assert.match(garbage, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.match(garbage, /\r\nContent-Type: application\/problem\+json\r\n/);
      assert.deepEqual(JSON.parse(garbage.split('\r\n\r\n')[1] ?? ''), {
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        detail: 'The request is not valid HTTP',
      });
      const overflow = await exchange(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`);
      assert.match(overflow, /^HTTP\/1\.1 431 /);
      assert.match(overflow, /"status":431/);
    });

    test('is no way to smuggle a second request', async () => {
      const twoLengths =
        'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}';
      assert.match(await exchange(twoLengths), /^HTTP\/1\.1 400 /);
      const both =
        'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
      assert.match(await exchange(both), /^HTTP\/1\.1 400 /);
    });
  });

  test('answers are not to be kept, nor guessed to be something else', async () => {
    for (const path of ['/things/1', '/nothing', '/things/%', `/things/${'9'.repeat(5_000)}`]) {
      const { headers } = await send('GET', path);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
    const garbage = await exchange('GARBAGE\r\n\r\n');
    assert.match(garbage, /\r\nCache-Control: no-store\r\n/);
    assert.match(garbage, /\r\nX-Content-Type-Options: nosniff\r\n/);
  });

  /** Sends these bytes on a connection of their own and returns what came back until its end. */
  async function exchange(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => {
      received += text;
      if (/^HTTP\/1\.1 \d/.test(received) && received.includes('\r\n\r\n')) socket.end();
    });
    const closed = Promise.withResolvers<string>();
    socket.once('close', () => closed.resolve(received));
    socket.write(bytes);
    return await closed.promise;
  }
});
