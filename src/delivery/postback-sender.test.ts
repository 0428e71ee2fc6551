import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { listenOnFreePort } from '../../test/support/free-port.ts';
import { startTarget } from '../../test/support/target.ts';
import { answer, echo, hang, redirect } from '../../test/support/target-behaviours.ts';
import { loopbackSender, postbackTo } from '../../test/support/target-sender.ts';
import { basicAuthorization } from './basic-credentials.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

describe('a postback', () => {
  it('consists of exactly the expected bytes', async () => {
    let received = '';
    const server = createServer((socket) => {
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
        if (received.endsWith('}')) socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const port = await listenOnFreePort(server);
    await using sender = loopbackSender({ now: () => NOW });
    const result = await sender.send(
      postbackTo(`http://127.0.0.1:${port}/hook/a%20b?c=d#e`, {
        messageId: 'msg_42',
        body: '{"name":"Zoë"}',
        credentials: { key: 'kéy', secret: 'pass:wörd' },
        extraHeaders: { 'X-Trace': '1' },
      }),
    );
    server.close();

    assert.equal(result.outcome, 'DELIVERED');
    assert.equal(
      received,
      [
        'POST /hook/a%20b?c=d HTTP/1.1',
        `host: 127.0.0.1:${port}`,
        'connection: keep-alive',
        'Content-Type: application/json',
        'User-Agent: Coursewire/1.2.3',
        'webhook-id: msg_42',
        'webhook-timestamp: 1767323045',
        `Authorization: Basic ${Buffer.from('kéy:pass:wörd').toString('base64')}`,
        'X-Trace: 1',
        'content-length: 15',
        '',
        Buffer.from('{"name":"Zoë"}').toString('latin1'),
      ].join('\r\n'),
    );
  });

  it('has no Authorization header without credentials', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    await sender.send(postbackTo(target.url));
    assert.equal(target.requests[0]?.headers.authorization, undefined);
  });

  it('has the body it was given, text or bytes', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 256);
    for (const body of ['', '{"a":"€"}', bytes]) await sender.send(postbackTo(target.url, { body }));
    assert.deepEqual(
      target.requests.map(({ body }) => body),
      [Buffer.alloc(0), Buffer.from('{"a":"€"}'), Buffer.from(bytes)],
    );
  });

  it('has the same webhook-id in each attempt and the time of the attempt', async () => {
    await using target = await startTarget();
    let now = NOW;
    await using sender = loopbackSender({ now: () => now });
    await sender.send(postbackTo(target.url));
    now += 60_000;
    await sender.send(postbackTo(target.url));
    assert.deepEqual(
      target.requests.map(({ headers }) => [headers['webhook-id'], headers['webhook-timestamp']]),
      [
        ['msg_1', '1767323045'],
        ['msg_1', '1767323105'],
      ],
    );
  });
});

describe('a response', () => {
  for (const status of [200, 201, 202, 204, 299])
    it(`of ${status} is a success`, async () => {
      await using target = await startTarget({ respondWith: answer(status) });
      await using sender = loopbackSender();
      const { outcome, reason, ...rest } = await sender.send(postbackTo(target.url));
      assert.deepEqual([outcome, rest.status, reason], ['DELIVERED', status, null]);
    });

  const failures: [number, string][] = [
    [300, '300 Multiple Choices'],
    [304, '304 Not Modified'],
    [400, '400 Bad Request'],
    [403, '403 Forbidden'],
    [410, '410 Gone'],
    [500, '500 Internal Server Error'],
    [599, '599 unknown'],
  ];
  for (const [status, reason] of failures)
    it(`of ${status} is a failure`, async () => {
      await using target = await startTarget({ respondWith: answer(status) });
      await using sender = loopbackSender();
      const result = await sender.send(postbackTo(target.url));
      assert.deepEqual([result.outcome, result.status, result.reason], ['FAILED', status, reason]);
      assert.equal(result.aborted, false);
    });

  it('that leads elsewhere is a failure, and is not followed', async () => {
    await using elsewhere = await startTarget();
    await using target = await startTarget();
    await using sender = loopbackSender();
    for (const status of [301, 302, 303, 307, 308]) {
      target.respondWith(redirect(`${elsewhere.url}/private`, status));
      const result = await sender.send(postbackTo(target.url));
      assert.equal(result.outcome, 'FAILED');
      assert.equal(result.status, status);
      assert.equal(
        result.reason,
        `${status} ${STATUS_CODES[status]} to ${elsewhere.url}/private, not followed`,
      );
    }
    assert.equal(elsewhere.acceptedConnections, 0);
  });

  it('is reported with its status, text, headers and body', async () => {
    await using target = await startTarget({
      respondWith: answer(422, { statusText: 'Not today', body: '{"error":"schön"}' }),
    });
    await using sender = loopbackSender();
    const begun = Date.now();
    const { durationMs, endedAt, requestHeaders, responseHeaders, ...result } = await sender.send(
      postbackTo(target.url),
    );
    assert.ok(durationMs > 0 && durationMs < 5_000);
    assert.ok(endedAt >= begun && endedAt <= Date.now());
    assert.deepEqual(requestHeaders.slice(0, 2), ['Content-Type', 'application/json']);
    assert.ok(responseHeaders !== null && 'date' in responseHeaders);
    assert.deepEqual(result, {
      outcome: 'FAILED',
      status: 422,
      responseBody: '{"error":"schön"}',
      reason: '422 Not today',
      retryAfterMs: null,
      aborted: false,
      unsent: false,
      resent: false,
    });
  });

  it('has an empty body if the response has none, and null without a response', async () => {
    await using target = await startTarget({ respondWith: answer(204) });
    await using sender = loopbackSender();
    assert.equal((await sender.send(postbackTo(target.url))).responseBody, '');
    await target.refuse();
    assert.equal((await sender.send(postbackTo(target.url))).responseBody, null);
  });

  it('that is binary becomes text that can be stored', async () => {
    await using target = await startTarget({ respondWith: answer(200, { body: Buffer.from([0, 255, 65]) }) });
    await using sender = loopbackSender();
    assert.equal((await sender.send(postbackTo(target.url))).responseBody, '\uFFFD\uFFFDA');
  });

  it('is read in the encoding that it names', async () => {
    await using target = await startTarget({
      respondWith: answer(403, {
        headers: { 'content-type': 'text/plain; charset=iso-8859-1' },
        body: Buffer.from('Ung\u00fcltig', 'latin1'),
      }),
    });
    await using sender = loopbackSender();
    assert.equal((await sender.send(postbackTo(target.url))).responseBody, 'Ung\u00fcltig');
  });

  it('asks with Retry-After for a pause: on 429 and 503, in seconds or as a date', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender({ now: () => NOW });
    const retryAfter = async (status: number, ...values: string[]) => {
      target.respondWith(({ response }) => response.setHeader('retry-after', values).writeHead(status).end());
      return (await sender.send(postbackTo(target.url))).retryAfterMs;
    };
    assert.equal(await retryAfter(429, '120'), 120_000);
    assert.equal(await retryAfter(503, 'Fri, 02 Jan 2026 03:05:05 GMT'), 59_322);
    assert.equal(await retryAfter(503, 'Thu, 01 Jan 1970 00:00:00 GMT'), 0);
    assert.equal(await retryAfter(503, 'later'), null);
    // As if both an application and its proxy had set it.
    assert.equal(await retryAfter(503, '2', '60', 'later', '1'), 60_000);
    assert.equal(await retryAfter(503, 'later', 'tomorrow'), null);
    assert.equal(await retryAfter(500, '120'), null);
    assert.equal(await retryAfter(200, '120'), null);
  });

  it('that echoes the request does not reveal the credentials', async () => {
    await using target = await startTarget({ respondWith: echo(403) });
    await using sender = loopbackSender();
    const credentials = { key: 'somebody', secret: 'hush hush' };
    const { responseBody } = await sender.send(postbackTo(target.url, { credentials }));
    assert.match(responseBody ?? '', /"authorization":"Basic \[censored\]"/);

    const statusText = `go away ${basicAuthorization(credentials)} hush hush`;
    target.respondWith(answer(403, { statusText }));
    const result = await sender.send(postbackTo(target.url, { credentials }));
    assert.equal(result.reason, '403 go away Basic [censored] [censored]');

    target.respondWith(
      answer(403, { statusText: 'no somebody:hush hush', body: '{"was":"somebody:hush hush"}' }),
    );
    const decoded = await sender.send(postbackTo(target.url, { credentials }));
    assert.equal(decoded.reason, '403 no [censored]');
    assert.equal(decoded.responseBody, '{"was":"[censored]"}');

    target.respondWith(redirect(`${target.url}/login/hush%20hush/`));
    const led = await sender.send(postbackTo(target.url, { credentials }));
    assert.equal(led.reason, `302 Found to ${target.url}/login/[censored]/, not followed`);
  });
});

describe('a postback that cannot be sent', () => {
  it('is a failure that says why, and reaches no target', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    const reasonOf = async (changes: Parameters<typeof postbackTo>[1]) => {
      const { outcome, reason, status, aborted } = await sender.send(postbackTo(target.url, changes));
      assert.deepEqual([outcome, status, aborted], ['FAILED', null, false]);
      return reason;
    };
    assert.equal(await reasonOf({ url: 'nowhere' }), 'target URL is not a valid absolute URL');
    assert.equal(await reasonOf({ url: 'ftp://127.0.0.1/' }), 'target URL is not http or https');
    assert.equal(await reasonOf({ url: 'http://10.0.0.1/' }), 'target address 10.0.0.1 is not allowed');
    assert.equal(await reasonOf({ messageId: 'a\r\nX-Injected: 1' }), 'invalid webhook-id header');
    assert.equal(await reasonOf({ extraHeaders: { 'bad name': '1' } }), 'invalid header key');
    assert.equal(target.acceptedConnections, 0);
    assert.equal(sender.connections, 0);
  });
});

describe('stopping', () => {
  it('aborts every postback in flight, which is not a fault of the target, and sends no more', async () => {
    await using target = await startTarget({ respondWith: hang() });
    await using sender = loopbackSender();
    const sent = Array.from({ length: 20 }, () => sender.send(postbackTo(target.url)));
    await target.waitFor(20);
    sender.abort();
    for (const { outcome, aborted, status, reason } of [...(await Promise.all(sent))])
      assert.deepEqual(
        [outcome, aborted, status, reason],
        ['FAILED', true, null, 'stopped before the target responded'],
      );
    await target.waitUntil(() => target.openConnections === 0);
    assert.equal((await sender.send(postbackTo(target.url))).aborted, true);
    assert.equal(target.requests.length, 20);
  });

  it('releases everything that a postback used once its response has arrived', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    const sent = sender.send(postbackTo(target.url));
    assert.equal(sender.inFlight, 1);
    await sent;
    assert.equal(sender.inFlight, 0);
    assert.equal(timers(), before);
  });

  it('the sender aborts all requests in flight, and sends no more', async () => {
    await using target = await startTarget({ respondWith: hang() });
    const sender = loopbackSender();
    const sent = Array.from({ length: 3 }, () => sender.send(postbackTo(target.url)));
    await target.waitFor(3);
    await sender[Symbol.asyncDispose]();
    for (const result of await Promise.all(sent)) assert.equal(result.aborted, true);
    assert.equal((await sender.send(postbackTo(target.url))).aborted, true);
    assert.equal(target.requests.length, 3);
    await sender[Symbol.asyncDispose]();
  });
});
