import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTarget } from '../../test/support/target.ts';
import { type TargetConnection, TargetConnections } from './target-connections.ts';
import { TargetConnector } from './target-connector.ts';
import { TargetGuard } from './target-guard.ts';

const ORIGIN = 'http://127.0.0.1:9';

function connectionsWith({ maxIdle = 10 } = {}): TargetConnections {
  const guard = new TargetGuard({ allowedNetworks: ['127.0.0.0/8'] });
  const connector = new TargetConnector({ guard });
  return new TargetConnections({
    connector,
    maxIdle,
    idleTimeoutMs: 4_000,
    // A connection that was never opened is as old as the process.
    maxAgeMs: Number.POSITIVE_INFINITY,
  });
}

/** Sends a request on a connection and waits for its response. */
function use(connection: TargetConnection): Promise<void> {
  return new Promise((resolve, reject) =>
    connection.dispatch(
      { method: 'POST', path: '/' },
      {
        abort: () => {},
        onLookupStart: () => {},
        onLookupEnd: () => {},
        onRequestStart: () => {},
        onResponseStart: () => {},
        onResponseData: () => {},
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    ),
  );
}

describe('connections to targets', () => {
  it('are used by one request at a time, the most recently returned one first', async () => {
    await using target = await startTarget();
    await using connections = connectionsWith();
    const [a, b, c] = [1, 2, 3].map(() => connections.acquire(target.url));
    assert.ok(a !== undefined && b !== undefined && c !== undefined);
    assert.equal(new Set([a, b, c]).size, 3);
    for (const connection of [a, b, c]) {
      await use(connection);
      connections.release(connection);
    }
    assert.deepEqual(
      [c, b, a].map((expected) => connections.acquire(target.url) === expected),
      [true, true, true],
    );
  });

  it('are not shared between origins', async () => {
    await using target = await startTarget();
    await using connections = connectionsWith();
    const connection = connections.acquire(target.url);
    await use(connection);
    connections.release(connection);
    assert.notEqual(connections.acquire(ORIGIN), connection);
  });

  it('are new if that is requested', async () => {
    await using target = await startTarget();
    await using connections = connectionsWith();
    const connection = connections.acquire(target.url);
    await use(connection);
    connections.release(connection);
    assert.notEqual(connections.open(target.url), connection);
    assert.equal(connections.size, 2);
  });

  it('forget an origin whose connections have ended', async () => {
    await using target = await startTarget();
    await using connections = connectionsWith({ maxIdle: 1 });
    const origins = [target.url, `http://127.0.0.2:${target.port}`];
    const [first, second] = origins.map((origin) => connections.acquire(origin));
    assert.ok(first !== undefined && second !== undefined);
    await use(first);
    connections.release(first);
    connections.release(second);
    assert.equal(connections.size, 1);
    connections.discard(second);
    assert.equal(connections.size, 0);
  });

  it('are all closed when they are disposed of, also those in use', async () => {
    await using target = await startTarget();
    const connections = connectionsWith();
    for (const connection of [connections.open(target.url), connections.open(target.url)])
      await use(connection);
    await connections[Symbol.asyncDispose]();
    assert.equal(connections.size, 0);
    await target.waitUntil(() => target.openConnections === 0);
  });
});
