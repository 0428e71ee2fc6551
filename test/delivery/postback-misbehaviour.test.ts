import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KIB, MIB } from '../../src/bytes.ts';
import type { PostbackResult } from '../../src/delivery/postback-sender.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { startTarget } from '../support/target.ts';
import {
  answer,
  type Behaviour,
  byPath,
  close,
  endless,
  endlessBytes,
  failTimes,
  hang,
  hangInBody,
  informational,
  inTurn,
  rawBytes,
  reset,
  resetInBody,
  trickle,
} from '../support/target-behaviours.ts';
import { loopbackSender, postbackTo } from '../support/target-sender.ts';

/** For targets that send nothing. */
const SHORT_DEADLINE_MS = 500;
/** For targets that send a part first. It arrives before the deadline, even if a busy machine pauses. */
const AMPLE_DEADLINE_MS = 2_000;
/** How much later than its deadline a postback may end on a busy machine. */
const LATE_MS = 10_000;

/** Sends a postback to a target with this behaviour, and asserts the number of connections that stay open. Returns the result. */
async function sendTo(
  behaviour: Behaviour,
  { deadlineMs = DEADLINE_MS, connectionsLeft = 0 } = {},
): Promise<Omit<PostbackResult, 'durationMs' | 'endedAt' | 'requestHeaders'>> {
  await using target = await startTarget({ respondWith: behaviour });
  await using sender = loopbackSender({ deadlineMs });
  const { durationMs, endedAt: _, requestHeaders: __, ...result } = await sender.send(postbackTo(target.url));
  assert.ok(durationMs < deadlineMs + LATE_MS);
  assert.equal(target.requests.length, 1);
  assert.equal(sender.connections, connectionsLeft);
  await target.waitUntil(() => target.openConnections === connectionsLeft);
  return result;
}

const NO_ANSWER = {
  outcome: 'FAILED',
  status: null,
  responseHeaders: null,
  responseBody: null,
  retryAfterMs: null,
  aborted: false,
  unsent: false,
  resent: false,
} as const;

describe('the attempt fails if the target does not respond', () => {
  it('because it refuses connections', async () => {
    await using target = await startTarget();
    await target.refuse();
    await using sender = loopbackSender();
    const {
      durationMs: _,
      endedAt: __,
      requestHeaders: ___,
      ...result
    } = await sender.send(postbackTo(target.url));
    assert.deepEqual(result, { ...NO_ANSWER, reason: 'connection refused' });
    assert.equal(sender.connections, 0);
  });

  it('because it resets connections', async () => {
    await using target = await startTarget();
    target.acceptWith('reset');
    await using sender = loopbackSender();
    assert.equal((await sender.send(postbackTo(target.url))).reason, 'connection reset');
  });

  it('but resets the connection after it has read the request', async () => {
    assert.deepEqual(await sendTo(reset()), { ...NO_ANSWER, reason: 'connection reset' });
  });

  it('but closes the connection after it has read the request', async () => {
    const reason = 'connection closed before the response was complete';
    assert.deepEqual(await sendTo(close()), { ...NO_ANSWER, reason });
  });

  it('but hangs', async () => {
    const result = await sendTo(hang(), { deadlineMs: SHORT_DEADLINE_MS });
    assert.deepEqual(result, { ...NO_ANSWER, reason: 'timed out after 0.5 s' });
  });
});

describe('a target that sends a part of a response', () => {
  it('and hangs within the body: even 2xx is a failure', async () => {
    const result = await sendTo(hangInBody(200, 'part'), { deadlineMs: AMPLE_DEADLINE_MS });
    assert.equal(result.outcome, 'FAILED');
    assert.equal(result.status, 200);
    assert.equal(result.responseBody, 'part');
    assert.equal(result.reason, 'timed out after 2 s, before the end of the 200 response');
  });

  it('and keeps trickling: the deadline applies to the whole response', async () => {
    const result = await sendTo(trickle({ intervalMs: 5 }), { deadlineMs: AMPLE_DEADLINE_MS });
    assert.equal(result.outcome, 'FAILED');
    assert.match(result.responseBody ?? '', /^x+$/);
    assert.equal(result.reason, 'timed out after 2 s, before the end of the 200 response');
  });

  it('and resets the connection within the body', async () => {
    const result = await sendTo(resetInBody());
    assert.deepEqual([result.outcome, result.status], ['FAILED', 200]);
    assert.equal(result.reason, 'connection reset, before the end of the 200 response');
    assert.equal(result.responseBody, 'part');
  });

  it('and closes the connection before it has sent as much as it announced', async () => {
    const result = await sendTo(rawBytes('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'));
    assert.equal(result.outcome, 'FAILED');
    assert.equal(result.reason, 'connection closed, before the end of the 200 response');
  });

  it('and closes the connection within a chunk', async () => {
    const result = await sendTo(rawBytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nhalf'));
    assert.deepEqual([result.outcome, result.status], ['FAILED', 200]);
  });

  it('and closes the connection within the headers', async () => {
    assert.equal((await sendTo(rawBytes('HTTP/1.1 200 OK\r\nX-A: 1\r\n'))).outcome, 'FAILED');
  });

  it('with a failure: the status is the reason, whatever happens to the body', async () => {
    const behaviours = [hangInBody(503), trickle({ status: 503 }), resetInBody(503)];
    const sent = behaviours.map((behaviour) => sendTo(behaviour, { deadlineMs: AMPLE_DEADLINE_MS }));
    for (const { outcome, reason } of await Promise.all(sent))
      assert.deepEqual([outcome, reason], ['FAILED', '503 Service Unavailable']);
  });
});

describe('a target that sends too long a response', () => {
  it('10 MiB: the first 64 KiB are read and the connection is closed, and 2xx is a success', async () => {
    const result = await sendTo(answer(200, { body: Buffer.alloc(10 * MIB, 'x') }));
    assert.equal(result.outcome, 'DELIVERED');
    assert.equal(result.responseBody, 'x'.repeat(64 * KIB));
  });

  it('without end, but fast: the first 64 KiB are read as well, and 2xx is a success', async () => {
    const result = await sendTo(endless());
    assert.equal(result.outcome, 'DELIVERED');
    assert.equal(result.responseBody?.length, 64 * KIB);
  });

  it('with a failure', async () => {
    const result = await sendTo(endless(500));
    assert.deepEqual([result.outcome, result.reason], ['FAILED', '500 Internal Server Error']);
    assert.equal(result.responseBody?.length, 64 * KIB);
  });

  it('one byte over the limit, together with its end: the next request is not affected', async () => {
    const tooLong = answer(200, { headers: { connection: 'close' }, body: 'x'.repeat(64 * KIB + 1) });
    await using target = await startTarget({ respondWith: tooLong });
    await using sender = loopbackSender();
    for (let n = 0; n < 3; n += 1) {
      const result = await sender.send(postbackTo(target.url));
      assert.deepEqual([result.outcome, result.responseBody?.length], ['DELIVERED', 64 * KIB]);
    }
  });

  it('of exactly 64 KiB: all is read, and the connection is kept', async () => {
    const result = await sendTo(answer(200, { body: 'x'.repeat(64 * KIB) }), { connectionsLeft: 1 });
    assert.equal(result.responseBody?.length, 64 * KIB);
  });

  it('of 64 KiB in single bytes', async () => {
    const chunked = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(64 * KIB)}0\r\n\r\n`;
    const result = await sendTo(rawBytes(chunked, { keepOpen: true }), { connectionsLeft: 1 });
    assert.equal(result.outcome, 'DELIVERED');
    assert.equal(result.responseBody, 'x'.repeat(64 * KIB));
  });

  it('with endless headers', async () => {
    const result = await sendTo(answer(200, { headers: { 'x-long': 'x'.repeat(MIB) } }));
    assert.deepEqual(
      [result.outcome, result.reason],
      ['FAILED', 'response has too many or too long headers'],
    );
  });
});

describe('a target that does not send a valid response', () => {
  const garbage: Record<string, string | Uint8Array> = {
    'another protocol': 'SSH-2.0-OpenSSH_9.9\r\n',
    'bytes at random': Uint8Array.from({ length: 500 }, (_, i) => (i * 197 + 31) % 256),
    'another version': 'HTTP/9.9 200 OK\r\n\r\n',
    'a status that is none': 'HTTP/1.1 20x OK\r\n\r\n',
    'a status of nothing': 'HTTP/1.1 000 \r\ncontent-length: 0\r\n\r\n',
    'a status below all others': 'HTTP/1.1 099 Low\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx',
    'a length and chunks':
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'a broken chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    'another protocol over HTTP':
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
  };
  for (const [what, bytes] of Object.entries(garbage))
    it(`${what}: could not be parsed`, async () => {
      const { outcome, status, reason } = await sendTo(rawBytes(bytes));
      const rest = status === null ? '' : `, before the end of the ${status} response`;
      assert.deepEqual([outcome, reason], ['FAILED', `response could not be parsed${rest}`]);
    });

  it('more than one response: the first counts, and the connection is not reused', async () => {
    const twice = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'.repeat(2);
    await using target = await startTarget({
      respondWith: inTurn(rawBytes(twice, { keepOpen: true }), answer(201)),
    });
    await using sender = loopbackSender();
    assert.equal((await sender.send(postbackTo(target.url))).status, 200);
    await target.waitUntil(() => target.openConnections === 0);
    assert.equal((await sender.send(postbackTo(target.url))).status, 201);
    assert.equal(target.acceptedConnections, 2);
  });
});

describe('informational responses', () => {
  for (const statuses of [[100], [102], [103], [100, 100, 103, 102]])
    it(`${statuses.join(', ')} are ignored`, async () => {
      const result = await sendTo(informational(statuses, answer(201, { body: 'ok' })), {
        connectionsLeft: 1,
      });
      assert.deepEqual([result.outcome, result.status, result.responseBody], ['DELIVERED', 201, 'ok']);
    });

  it('are ignored on a reused connection', async () => {
    await using target = await startTarget({ respondWith: informational([100, 103]) });
    await using sender = loopbackSender();
    for (let n = 0; n < 3; n += 1)
      assert.equal((await sender.send(postbackTo(target.url))).outcome, 'DELIVERED');
    assert.equal(target.acceptedConnections, 1);
  });

  for (const status of [100, 103])
    it(`of ${status} without end are a failed attempt`, async () => {
      const many = Array.from({ length: 1_000 }, () => status);
      const result = await sendTo(informational(many));
      assert.deepEqual([result.outcome, result.status], ['FAILED', null]);
    });

  it('without a final response are no response', async () => {
    const result = await sendTo(informational([100, 103], hang()), { deadlineMs: SHORT_DEADLINE_MS });
    assert.deepEqual(result, { ...NO_ANSWER, reason: 'timed out after 0.5 s' });
  });
});

describe('a target that recovers', () => {
  it('gets its message then', async () => {
    await using target = await startTarget({ respondWith: failTimes(2, inTurn(reset(), answer(502))) });
    await using sender = loopbackSender();
    const outcomes = [];
    for (let n = 0; n < 4; n += 1) outcomes.push((await sender.send(postbackTo(target.url))).outcome);
    assert.deepEqual(outcomes, ['FAILED', 'FAILED', 'DELIVERED', 'DELIVERED']);
  });

  it('gets its message even if it refused connections before', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    await target.refuse();
    assert.equal((await sender.send(postbackTo(target.url))).outcome, 'FAILED');
    await target.listen();
    assert.equal((await sender.send(postbackTo(target.url))).outcome, 'DELIVERED');
  });
});

describe('a target that sends bytes without end outside the body', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  for (const [where, behaviour] of [
    ['the status line', endlessBytes('HTTP/1.1 200 ', 'x')],
    ['the name of a header', endlessBytes('HTTP/1.1 200 OK\r\nX', 'x')],
    ['informational responses', endlessBytes('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ] as const) {
    it(`in ${where} fails at once`, async () => {
      const { outcome, reason } = await sendTo(behaviour);
      assert.equal(outcome, 'FAILED');
      assert.match(reason ?? '', /too long|too many/);
    });
  }

  it('in the extension of a chunk: its status counts', async () => {
    assert.equal((await sendTo(endlessBytes(`${HEAD}5;`, 'x'))).outcome, 'DELIVERED');
    const failed = await sendTo(endlessBytes(`${HEAD.replace('200 OK', '500 Oops')}5;`, 'x'));
    assert.deepEqual([failed.outcome, failed.reason], ['FAILED', '500 Oops']);
  });

  it('in chunks of one byte may use several times the size of the body', async () => {
    const bytes = `${HEAD}${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n`;
    const { outcome, responseBody } = await sendTo(rawBytes(bytes, { keepOpen: true }), {
      connectionsLeft: 1,
    });
    assert.deepEqual([outcome, responseBody?.length], ['DELIVERED', 60_000]);
  });
});

describe('targets that hang', () => {
  it('delay no other, not even at the same origin', async () => {
    await using target = await startTarget({ respondWith: byPath({ '/hangs': hang() }, answer(200)) });
    await using sender = loopbackSender();
    const hung = Array.from({ length: 100 }, () => sender.send(postbackTo(`${target.url}/hangs`)));
    await target.waitFor(100);
    for (let n = 0; n < 10; n += 1)
      assert.equal((await sender.send(postbackTo(`${target.url}/well`))).outcome, 'DELIVERED');
    assert.equal(sender.connections, 101);
    sender.abort();
    await Promise.all(hung);
    assert.equal(sender.connections, 1);
  });
});
