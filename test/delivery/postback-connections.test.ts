import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { describe, it } from 'node:test';
import { startTarget } from '../support/target.ts';
import {
  answer,
  type Behaviour,
  close,
  closeOnReuse,
  informational,
  inTurn,
  rawBytes,
  reset,
} from '../support/target-behaviours.ts';
import { loopbackSender, postbackTo } from '../support/target-sender.ts';
import { testAuthority } from '../support/target-tls.ts';
import { until } from '../support/until.ts';

// Needs a process of its own: it looks for sockets that the process has left open.

const toLoopback: LookupFunction = (_hostname, _options, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }]);

describe('connections', () => {
  it('are reused', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    for (let n = 0; n < 20; n += 1) await sender.send(postbackTo(`${target.url}/${n}`));
    assert.equal(target.acceptedConnections, 1);
  });

  it('are as many as the postbacks at the same time', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    for (let round = 0; round < 3; round += 1)
      await Promise.all(Array.from({ length: 8 }, () => sender.send(postbackTo(target.url))));
    assert.equal(target.acceptedConnections, 8);
    assert.equal(sender.connections, 8);
  });

  it('are not reused if the target closes them', async () => {
    await using target = await startTarget({
      respondWith: answer(200, { headers: { connection: 'close' } }),
    });
    await using sender = loopbackSender();
    for (let n = 0; n < 5; n += 1)
      assert.equal((await sender.send(postbackTo(target.url))).outcome, 'DELIVERED');
    assert.equal(target.acceptedConnections, 5);
    await target.waitUntil(() => target.openConnections === 0);
    await until(() => sender.connections === 0, 'the sender knows that its connection is closed');
  });

  it('that replace one closed by the target count as new: an error on them is a failure', async () => {
    const last = answer(200, { headers: { connection: 'close' } });
    await using target = await startTarget({ respondWith: inTurn(last, reset()) });
    await using sender = loopbackSender();
    await sender.send(postbackTo(target.url));
    assert.equal((await sender.send(postbackTo(target.url))).reason, 'connection reset');
    assert.equal(target.requests.length, 2);
  });

  it('may mark the end of a response by closing', async () => {
    const untilClose = rawBytes('HTTP/1.1 200 OK\r\n\r\nall of it');
    await using target = await startTarget({ respondWith: untilClose });
    await using sender = loopbackSender();
    const result = await sender.send(postbackTo(target.url));
    assert.deepEqual([result.outcome, result.responseBody], ['DELIVERED', 'all of it']);
  });

  it('are closed after an idle time', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender({ idleTimeoutMs: 20 });
    await sender.send(postbackTo(target.url));
    await target.waitUntil(() => target.openConnections === 0);
    await until(() => sender.connections === 0, 'the sender knows that its connection is closed');
  });

  it('are not reused once they are old', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender({ maxConnectionAgeMs: 0 });
    for (let n = 0; n < 3; n += 1) await sender.send(postbackTo(target.url));
    assert.equal(target.acceptedConnections, 3);
    assert.equal(sender.connections, 0);
  });
});

describe('a connection that the target closes while it is idle', () => {
  const endings: Record<string, Behaviour> = { close: close(), reset: reset() };
  for (const [name, ending] of Object.entries(endings))
    it(`just as it is reused (${name}) is replaced within the attempt`, async () => {
      await using target = await startTarget({ respondWith: closeOnReuse(ending) });
      await using sender = loopbackSender();
      for (const messageId of ['msg_1', 'msg_2'])
        assert.equal((await sender.send(postbackTo(target.url, { messageId }))).outcome, 'DELIVERED');
      assert.deepEqual(
        target.requests.map(({ headers, connection }) => [headers['webhook-id'], connection]),
        [
          ['msg_1', 1],
          ['msg_2', 1],
          ['msg_2', 2],
        ],
      );
    });

  it('before it is reused is replaced without a trace', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    await sender.send(postbackTo(target.url));
    target.dropConnections();
    assert.equal((await sender.send(postbackTo(target.url))).outcome, 'DELIVERED');
    assert.equal(target.requests.length, 2);

    target.dropConnections();
    target.respondWith(reset());
    assert.equal((await sender.send(postbackTo(target.url))).reason, 'connection reset');
    assert.equal(target.requests.length, 3);
  });

  it('is replaced once, even if the new one fails', async () => {
    await using target = await startTarget({ tls: 'trusted', respondWith: closeOnReuse(reset()) });
    await using sender = loopbackSender({ ca: [testAuthority()] });
    await sender.send(postbackTo(target.url));
    target.acceptWith('reset');
    assert.equal((await sender.send(postbackTo(target.url))).reason, 'connection reset');
    assert.deepEqual([target.requests.length, target.acceptedConnections], [2, 2]);
  });

  it('is replaced once, by a new one even when others are idle', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender();
    await Promise.all(Array.from({ length: 5 }, () => sender.send(postbackTo(target.url))));
    target.respondWith(reset());
    const result = await sender.send(postbackTo(target.url));
    assert.deepEqual([result.outcome, result.reason], ['FAILED', 'connection reset']);
    assert.deepEqual(
      target.requests.slice(5).map(({ requestOnConnection }) => requestOnConnection),
      [2, 1],
    );
  });

  it('within a response is a failure', async () => {
    for (const part of [
      rawBytes('H'),
      rawBytes('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'),
      informational([100], close()),
    ]) {
      await using target = await startTarget({ respondWith: inTurn(answer(200), part) });
      await using sender = loopbackSender();
      await sender.send(postbackTo(target.url));
      assert.equal((await sender.send(postbackTo(target.url))).outcome, 'FAILED');
      assert.equal(target.requests.length, 2);
    }
  });
});

describe('many targets', () => {
  it('leave no more idle connections than the total limit; the longest idle are closed', async () => {
    await using target = await startTarget();
    await using sender = loopbackSender({ lookup: toLoopback, maxIdleConnections: 3 });
    for (let n = 0; n < 40; n += 1) await sender.send(postbackTo(`http://host-${n}.test:${target.port}/`));
    assert.equal(target.acceptedConnections, 40);
    assert.equal(sender.connections, 3);
    await target.waitUntil(() => target.openConnections === 3);

    for (const n of [37, 38, 39]) await sender.send(postbackTo(`http://host-${n}.test:${target.port}/`));
    assert.equal(target.acceptedConnections, 40);
    await sender.send(postbackTo(`http://host-36.test:${target.port}/`));
    assert.equal(target.acceptedConnections, 41);
  });

  it('that are never reached leave nothing behind', async () => {
    await using target = await startTarget();
    await target.refuse();
    await using sender = loopbackSender({ lookup: toLoopback });
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => sender.send(postbackTo(`http://host-${n}.test:${target.port}/`))),
    );
    assert.equal(sender.connections, 0);
  });
});

describe('connecting', () => {
  it('waits for the lookup only up to its limit, and sends nothing if the lookup ends late', async () => {
    await using target = await startTarget();
    const asked: (() => void)[] = [];
    await using sender = loopbackSender({
      lookupLimitMs: 1_000,
      lookup: (hostname, options, callback) => void asked.push(() => toLoopback(hostname, options, callback)),
    });
    const late = await sender.send(postbackTo(`http://slow.test:${target.port}/late`));
    assert.deepEqual(
      [late.outcome, late.reason, late.unsent],
      ['FAILED', 'host name lookup timed out', true],
    );
    assert.equal(sender.connections, 0);

    for (const answerLookup of asked) answerLookup();
    await sender.send(postbackTo(`${target.url}/next`));
    assert.deepEqual(
      target.requests.map(({ path }) => path),
      ['/next'],
    );
    assert.equal(target.acceptedConnections, 1);
  });

  it('ends with the sender: no socket stays open', async () => {
    await using plain = await startTarget();
    await using silent = await startTarget({ tls: 'trusted' });
    silent.acceptWith('hang');
    const sender = loopbackSender();
    await sender.send(postbackTo(plain.url));
    const connecting = [1, 2].map(() => sender.send(postbackTo(silent.url)));
    await silent.waitUntil(() => silent.openConnections === 2);
    await sender[Symbol.asyncDispose]();
    assert.equal(sender.connections, 0);
    for (const result of await Promise.all(connecting)) assert.equal(result.aborted, true);
    await silent.waitUntil(() => silent.openConnections === 0);
    await plain.waitUntil(() => plain.openConnections === 0);
    assert.ok(!process.getActiveResourcesInfo().includes('TCPSocketWrap'));
  });
});
