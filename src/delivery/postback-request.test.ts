import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTarget, type Target } from '../../test/support/target.ts';
import {
  after,
  answer,
  type Behaviour,
  close,
  hang,
  inTurn,
  rawBytes,
} from '../../test/support/target-behaviours.ts';
import { PostbackRequest, type PostbackResult } from './postback-request.ts';
import { TargetConnections } from './target-connections.ts';
import { TargetConnector } from './target-connector.ts';
import { TargetGuard } from './target-guard.ts';

/** Connections whose handshakes with the target appear to have taken this long. */
function connectionsAtDistance(roundTripMs: number): TargetConnections {
  const connector = new TargetConnector({ guard: new TargetGuard({ allowedNetworks: ['127.0.0.0/8'] }) });
  return new TargetConnections({
    connector: {
      connect: (target, watcher, callback) =>
        connector.connect(target, watcher, (error, socket) => callback(error, socket, roundTripMs)),
    },
    maxIdle: 10,
    idleTimeoutMs: 10_000,
    maxAgeMs: 60_000,
  });
}

const LIMITS = { deadlineMs: 20_000, lookupLimitMs: 20_000 };
const SHORT_MS = 200;

/** Blocks this process, its timers included. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function send(
  connections: TargetConnections,
  target: Pick<Target, 'url'>,
  mayResend = true,
  limits = LIMITS,
): Promise<PostbackResult> {
  return new Promise((resolve) => {
    new PostbackRequest({
      connections,
      origin: target.url,
      request: { method: 'POST', path: '/', headers: [], body: '{}' },
      credentials: null,
      withoutUrl: null,
      ...limits,
      mayResend,
      now: Date.now,
      onSettled: resolve,
    }).start();
  });
}

describe('a kept connection that the target closes without a response to a request', () => {
  it('may have crossed the request if a round trip takes 10 s: the request is sent again', async () => {
    await using target = await startTarget({
      respondWith: inTurn(after(2_000, answer(200)), after(700, close()), answer(200)),
    });
    await using connections = connectionsAtDistance(10_000);
    await send(connections, target);
    const result = await send(connections, target);
    assert.deepEqual([result.outcome, result.resent, target.requests.length], ['DELIVERED', true, 3]);
  });

  it('cannot have crossed the request where a response came faster than the handshake', async () => {
    // The fastest of several responses counts, in case the machine pauses.
    await using target = await startTarget({
      respondWith: inTurn(answer(200), answer(200), answer(200), after(1_500, close()), answer(200)),
    });
    await using connections = connectionsAtDistance(10_000);
    for (let n = 0; n < 3; n++) await send(connections, target);
    const result = await send(connections, target);
    assert.deepEqual([result.outcome, result.resent, target.requests.length], ['FAILED', false, 4]);
  });
});

describe('a request that is sent again', () => {
  it('ends within the same time limits, so that it does not outlast the lease of its message', async () => {
    await using target = await startTarget({
      respondWith: inTurn(after(2_600, answer(200)), after(2_500, close()), hang()),
    });
    await using connections = connectionsAtDistance(10_000);
    // Only host names are looked up, and the deadline starts after a lookup.
    const named = { url: target.url.replace('127.0.0.1', 'localhost') };
    const limits = { deadlineMs: 6_000, lookupLimitMs: 500 };
    await send(connections, named, true, limits);
    const { resent, outcome, durationMs } = await send(connections, named, true, limits);
    assert.deepEqual([outcome, resent, target.requests.length], ['FAILED', true, 3]);
    // A deadline of its own would end 6 s after the 2.5 s.
    assert.ok(durationMs < 8_400, `${durationMs} ms`);
  });
});

describe('a kept connection that the target closes as a request arrives', () => {
  it('is a failure where the message may not be sent twice', async () => {
    await using target = await startTarget({ respondWith: inTurn(answer(200), close(), answer(200)) });
    await using connections = connectionsAtDistance(1);
    await send(connections, target);
    const result = await send(connections, target, false);
    assert.deepEqual([result.outcome, result.resent, target.requests.length], ['FAILED', false, 2]);
  });
});

describe('a kept connection that the target ends with a 408 that announces the close', () => {
  const timeout = answer(408, { headers: { connection: 'close' } });

  /** The result of the second of two requests, and the number of requests that the target received. */
  async function secondOf(
    behaviour: Behaviour,
    { mayResend = true, first = answer(200), roundTripMs = 1 } = {},
  ) {
    await using target = await startTarget({ respondWith: inTurn(first, behaviour, answer(200)) });
    await using connections = connectionsAtDistance(roundTripMs);
    await send(connections, target);
    const { status, reason, resent } = await send(connections, target, mayResend);
    assert.equal(connections.inFlight, 0);
    return { status, reason, resent, requests: target.requests.length };
  }

  it('may have crossed the request, which is sent again', async () => {
    const endless = 'HTTP/1.0 408 Request Time-out\r\nConnection: Close\r\nContent-Length: 99\r\n\r\n<html>';
    // Two round trips of this time, because the machine may be paused.
    const far = { first: after(1_500, answer(200)), roundTripMs: 10_000 };
    const results = await Promise.all(
      [timeout, rawBytes(endless, { keepOpen: true })].map((behaviour) => secondOf(behaviour, far)),
    );
    for (const result of results)
      assert.deepEqual(result, { status: 200, reason: null, resent: true, requests: 3 });
  });

  it('is a failed attempt in all other cases', async () => {
    const cases = {
      'the message may not be sent twice': await secondOf(timeout, { mayResend: false }),
      'it comes too late': await secondOf(after(700, timeout)),
      'the connection is new': await secondOf(timeout, { first: close() }),
      'no close is announced': await secondOf(answer(408)),
    };
    const failed = { status: 408, reason: '408 Request Timeout', resent: false, requests: 2 };
    for (const [name, result] of Object.entries(cases)) assert.deepEqual(result, failed, name);
    const other = await secondOf(answer(503, { headers: { connection: 'close' } }));
    assert.deepEqual([other.status, other.requests], [503, 2]);
  });
});

describe('a process that is frozen while it connects', () => {
  it('sends nothing if it resumes after all time limits', async () => {
    await using target = await startTarget();
    const connector = new TargetConnector({ guard: new TargetGuard({ allowedNetworks: ['127.0.0.0/8'] }) });
    await using connections = new TargetConnections({
      connector: {
        connect: (address, watcher, callback) =>
          connector.connect(address, watcher, (...connected) => {
            freeze(3 * SHORT_MS);
            callback(...connected);
          }),
      },
      maxIdle: 10,
      idleTimeoutMs: 10_000,
      maxAgeMs: 60_000,
    });
    const limits = { deadlineMs: SHORT_MS, lookupLimitMs: SHORT_MS };
    const { aborted, outcome } = await send(connections, target, true, limits);
    await using others = connectionsAtDistance(1);
    await send(others, target);
    assert.equal(target.requests.length, 1, 'only the second request has arrived');
    assert.deepEqual([aborted, outcome], [true, 'FAILED']);
  });
});
