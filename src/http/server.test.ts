import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type SmallServer, startSmallServer } from '../../test/http/small-server.ts';
import { processorMs } from '../../test/support/processor-speed.ts';
import { connectTo, exchangeBytes } from '../../test/support/raw-http.ts';

/**
 * In processor time. Far more than the work takes, and far less than it took when its cost grew with the square of the
 * input.
 */
const QUICK_MS = 2_500;
/** More than the buffers of a connection hold. */
const UNREAD_BYTES = 32 * 1_024 * 1_024;

describe('the server', () => {
  let server: SmallServer;
  before(async () => {
    server = await startSmallServer();
  });
  after(() => server.stop());

  test('a value beyond a limit is rejected with a sentence that says what is allowed', async () => {
    const detailsOf = async (body: unknown) => {
      const { errors = [] } = await server.problemOf('POST', '/limits', JSON.stringify(body));
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

  test('requests that a client sends before the responses to earlier ones are answered in order', async () => {
    const answers = await server.pipeline(16);
    const read = Array.from(answers.matchAll(/"read":"(\d+)"/g), ([, id]) => Number(id));
    assert.deepEqual(
      read,
      Array.from({ length: 16 }, (_, n) => n),
    );
  });

  test('a failure of the service is logged with its place in the code and the ids in the path, but no token', async () => {
    const REGISTRATION = '0196f5c2-7b1e-7c55-9a3e-3f2b1c0d9e8f';
    const CLIENT = 'cw_0123456789abcdef01234567';
    const { code } = await server.problemOf('POST', '/things/7/parts/a-b/8');
    assert.equal(code, 'internal-error');
    const { error, time: _, ...line } = server.logLines.at(-1)!;
    assert.deepEqual(line, {
      level: 'error',
      class: 'HttpServer',
      method: 'POST',
      path: '/things/:thing_id/parts/:part_id/:token',
      thing_id: '7',
      msg: 'a request failed',
    });
    assert.match(String((error as Error).stack), /^TypeError: there is no part\n.*small-server\.ts/);
    for (const [thing_id, part_id] of [
      [REGISTRATION, '9'],
      [CLIENT, REGISTRATION],
    ]) {
      await server.problemOf('POST', `/things/${thing_id}/parts/${part_id}/${REGISTRATION}`);
      const { thing_id: thing, part_id: part, token } = server.logLines.at(-1)!;
      assert.deepEqual([thing, part, token], [thing_id, part_id, undefined]);
    }
    await server.problemOf('POST', '/lines/3/99');
    const { id, position } = server.logLines.at(-1)!;
    assert.deepEqual([id, position], ['3', '99']);
  });

  test('refusals at a limit are logged as one warning per minute, and an outage as one error', async () => {
    const before = server.logLines.length;
    for (let n = 0; n < 3; n += 1) assert.equal((await server.problemOf('POST', '/busy')).status, 503);
    for (let n = 0; n < 2; n += 1)
      assert.equal((await server.problemOf('POST', '/out-of-reach')).status, 503);
    const lines = server.logLines.slice(before);
    assert.deepEqual(
      lines.map(({ level, path }) => [level, path]),
      [
        ['warn', '/busy'],
        ['error', '/out-of-reach'],
      ],
    );
    assert.equal(lines[0]?.reason, 'Too many are busy');
  });

  test('only decimal digits are numbers in a query', async () => {
    const { text } = await server.send('GET', '/numbers?limit=16&share=-0.5&status=200&status=404&name=0x10');
    assert.deepEqual(JSON.parse(text), { limit: 16, share: -0.5, status: [200, 404], name: '0x10' });
    assert.deepEqual(JSON.parse((await server.send('GET', '/numbers?status=200')).text), { status: [200] });
    for (const number of ['0x10', '0b11', '0o7', '1e1', '+16', '%2016', '16.0', '16.', 'Infinity', ''])
      for (const member of ['limit', 'status']) {
        const { errors = [] } = await server.problemOf('GET', `/numbers?${member}=${number}`);
        assert.ok(
          errors.some(
            ({ pointer, detail }) =>
              pointer.startsWith(`/query/${member}`) && detail === 'must be an integer',
          ),
          number,
        );
      }
    const { errors } = await server.problemOf('GET', '/numbers?share=0x1&status=200&status=0x190');
    assert.deepEqual(errors, [
      { pointer: '/query/share', detail: 'must be a number' },
      { pointer: '/query/status/1', detail: 'must be an integer' },
    ]);
  });

  test('a query member that is no list and is repeated is named as such', async () => {
    const { errors } = await server.problemOf(
      'GET',
      '/numbers?limit=1&limit=2&name=a&name=b&status=1&status=2',
    );
    assert.deepEqual(errors, [
      { pointer: '/query/limit', detail: 'must be given only once' },
      { pointer: '/query/name', detail: 'must be given only once' },
    ]);
  });

  describe('hostile input', () => {
    test('gets 400 for two Host fields or an invalid one, at any path', async () => {
      const statusOf = async (hosts: string, path = '/things/1') =>
        (await server.exchange(`GET ${path} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)).slice(9, 12);
      for (const path of ['/things/1', '/nothing']) {
        assert.equal(await statusOf('Host: a\r\nHost: a\r\n', path), '400');
        assert.equal(await statusOf('Host: a\r\nhOsT: b\r\n', path), '400');
      }
      const INVALID = [
        'a b',
        'me@a',
        '"a"',
        "a'b",
        'a\tb',
        'a/b',
        'a?b',
        '<a>',
        'a,b',
        'a:b',
        '[a',
        'ä',
        '%zz',
        'a\\b',
      ];
      for (const host of INVALID) assert.equal(await statusOf(`Host: ${host}\r\n`), '400', host);
      const VALID = ['a', 'a.b-c_d:8080', '127.0.0.1:80', '[::1]', '[fe80::1]:443', 'a.', 'a:', '%C3%A4'];
      for (const host of VALID) assert.equal(await statusOf(`Host: ${host}\r\n`), '200', host);
    });

    test('gets 400 for an invalid X-Forwarded-Host of a trusted proxy', async () => {
      const behindProxy = await startSmallServer({ trustedProxies: ['127.0.0.1'] });
      try {
        const statusOf = async (host: string) =>
          (
            await fetch(`${behindProxy.url}/things/1`, {
              headers: { 'X-Forwarded-Host': host, 'X-Forwarded-For': '192.0.2.1' },
            })
          ).status;
        assert.equal(await statusOf('wire.example.com'), 200);
        assert.equal(await statusOf('first.example, wire.example.com'), 200);
        assert.equal(await statusOf('me@wire.example.com'), 400);
      } finally {
        await behindProxy.stop();
      }
    });

    test('gets sixteen responses, then an error and the end of the connection, if it sends a thousand requests at once', async () => {
      const answers = await server.pipeline(1_000);
      const statuses = Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
      assert.deepEqual(statuses, [...Array.from({ length: 16 }, () => '200'), '429']);
      assert.match(answers, /^connection: close\r$/im);
    });

    test('gets an error with at most 100 members, even if everything in the body is wrong', async () => {
      const bodies = {
        members: Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`x${index}`, 0])),
        items: { name: 'a', parts: Array.from({ length: 200_000 }, () => ({})) },
      };
      for (const [label, body] of Object.entries(bodies)) {
        const began = processorMs();
        const problem = await server.problemOf('POST', '/things', JSON.stringify(body));
        const { length = 0 } = problem.errors ?? [];
        assert.ok(length > 1 && length <= 100, `${length} ${label}`);
        assert.ok(JSON.stringify(problem).length < 20_000, label);
        assert.ok(processorMs() - began < QUICK_MS, `${label}: ${processorMs() - began} ms`);
      }
    });

    test('gets an error with only the beginning of an endless name of a member', async () => {
      const problem = await server.problemOf(
        'POST',
        '/things',
        JSON.stringify({ name: 'a', ['y'.repeat(900_000)]: 1 }),
      );
      assert.equal(problem.errors?.length, 1);
      assert.ok(problem.errors?.[0]?.pointer.startsWith('/yyyyyyyy'));
      assert.ok(JSON.stringify(problem).length < 3_000);
    });

    test('does not slow down the check of a name that is almost valid', async () => {
      for (const name of [
        `${'a'.repeat(300_000)}\u0001`,
        `${' '.repeat(300_000)}\u0001`,
        ' '.repeat(300_000),
      ]) {
        const began = processorMs();
        await server.problemOf('POST', '/things', JSON.stringify({ name }));
        assert.ok(processorMs() - began < QUICK_MS, `${processorMs() - began} ms`);
      }
    });

    test('does not learn the cause of a failure of the service', async () => {
      const problem = await server.problemOf('POST', '/broken');
      assert.equal(problem.code, 'internal-error');
      assert.doesNotMatch(JSON.stringify(problem), /hunter2|Error|\.ts/);
    });
  });

  describe('paths and methods', () => {
    test('a path without a route is 404, whatever the body', async () => {
      assert.equal((await server.problemOf('GET', '/nothing')).code, 'not-found');
      assert.equal((await server.problemOf('POST', '/nothing', '{"name":')).code, 'not-found');
      assert.equal((await server.problemOf('POST', '/nothing', 'text', 'text/plain')).code, 'not-found');
    });

    test('a malformed path is 400, and one with an endless id is 404', async () => {
      assert.equal((await server.problemOf('GET', '/things/%')).code, 'invalid-request');
      assert.equal((await server.problemOf('GET', '/things/%E0%A4%A')).code, 'invalid-request');
      assert.equal((await server.problemOf('GET', `/things/${'9'.repeat(5_000)}`)).code, 'not-found');
    });

    test('a method that a path does not support is 405 with those that it supports, whatever the body', async () => {
      const allowed = async (method: string, path: string, body?: string, type?: string) => {
        const problem = await server.problemOf(method, path, body, type);
        assert.equal(problem.code, 'method-not-allowed');
        return problem.headers.get('allow');
      };
      assert.equal(await allowed('DELETE', '/things'), 'POST');
      assert.equal(await allowed('PATCH', '/things/1', '{"a":'), 'GET, HEAD');
      assert.equal(await allowed('PUT', '/things/1', 'a', 'text/plain'), 'GET, HEAD');
      assert.equal(await allowed('OPTIONS', '/things/1?a=b'), 'GET, HEAD');
      assert.equal(await allowed('GET', '/things/1/touch'), 'POST');
    });

    test('something that the route of a path does not find is 404', async () => {
      assert.equal((await server.problemOf('GET', '/pages/none')).code, 'not-found');
    });

    test('HEAD is GET without the body', async () => {
      const get = await server.send('GET', '/things/1');
      const head = await server.send('HEAD', '/things/1');
      assert.equal(head.status, 200);
      assert.equal(head.text, '');
      assert.equal(head.headers.get('content-length'), String(get.text.length));
    });
  });

  describe('invalid HTTP', () => {
    test('is rejected with a problem, too', async () => {
      const garbage = await server.exchange('GARBAGE\r\n\r\n');
      assert.match(garbage, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.match(garbage, /\r\nContent-Type: application\/problem\+json\r\n/);
      assert.deepEqual(JSON.parse(garbage.split('\r\n\r\n')[1] ?? ''), {
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        detail: 'The request is not valid HTTP',
      });
      const overflow = await server.exchange(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`);
      assert.match(overflow, /^HTTP\/1\.1 431 /);
      assert.match(overflow, /"status":431/);
      assert.match(overflow, /delete the cookies/);
    });

    test('cannot smuggle a second request', async () => {
      const twoLengths =
        'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}';
      assert.match(await server.exchange(twoLengths), /^HTTP\/1\.1 400 /);
      const both =
        'POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
      assert.match(await server.exchange(both), /^HTTP\/1\.1 400 /);
    });
  });

  test('responses forbid browsers to store them and to guess another type', async () => {
    for (const path of ['/things/1', '/nothing', '/things/%', `/things/${'9'.repeat(5_000)}`]) {
      const { headers } = await server.send('GET', path);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
    const garbage = await server.exchange('GARBAGE\r\n\r\n');
    assert.match(garbage, /\r\nCache-Control: no-store\r\n/);
    assert.match(garbage, /\r\nX-Content-Type-Options: nosniff\r\n/);
  });
});

describe('a connection on which nothing happens for longer than allowed', () => {
  let server: SmallServer;
  before(async () => {
    server = await startSmallServer({ idleTimeoutMs: 1_500 });
  });
  after(() => server.stop());

  test('stays open while the service works on the response', async () => {
    const { status, text } = await server.send('GET', '/after-silence/2');
    assert.deepEqual([status, text], [200, 'aa']);
  });

  test('is closed if the client does not send the rest of its request', async () => {
    const head =
      'POST /things HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n';
    assert.equal(await exchangeBytes(server.url, `${head}{"name"`), '');
  });

  test('is closed if the client does not read the response', async () => {
    const closed = server.nextConnectionClosed();
    const client = connectTo(server.url).pause();
    client.write(`GET /after-silence/${UNREAD_BYTES} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await closed;
    client.destroy();
  });
});

describe('X-Forwarded-For', () => {
  const proxied = async (trustedProxies: readonly string[]) => {
    const server = await startSmallServer({ trustedProxies });
    for (let n = 0; n < 2; n++) {
      await fetch(`${server.url}/things/1`, { headers: { 'x-forwarded-for': '192.0.2.7' } });
      await fetch(`${server.url}/things/1`);
    }
    await server.stop();
    return server.logLines.filter(({ msg }) => String(msg).includes('X-Forwarded-For'));
  };

  test('of a proxy that nobody has listed is ignored, and the log names the proxy once', async () => {
    for (const listed of [[], ['192.0.2.0/24']]) {
      const lines = await proxied(listed);
      assert.deepEqual(
        lines.map(({ level, class: name, address }) => [level, name, address]),
        [['warn', 'HttpServer', '127.0.0.1']],
      );
      assert.match(String(lines[0]?.msg), /trusted_proxies/);
    }
  });

  test('of a proxy in trusted_proxies causes no log line', async () => {
    assert.deepEqual(await proxied(['127.0.0.1/32']), []);
  });
});
