import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { aroundTests } from '../support/around-tests.ts';
import { measureRunningTime } from '../support/running-time.ts';
import { until } from '../support/service.ts';
import { messageOf } from './queue-engine.ts';
import { countOn, deliver, lines, openBench } from './sqs-bench.ts';
import { type SqsServer, startSqsServer } from './sqs-server.ts';

// Runs on SQLite alone: the number of requests to Amazon SQS is the same with every database.

/** Counts the paid requests that docs/performance.md states. */

let server: SqsServer;
aroundTests(async (parts) => {
  server = parts.use(await startSqsServer());
});

/** Requests of each kind per message, for this many lines with this many messages each. */
async function countRequests({
  lineCount,
  messages,
}: {
  lineCount: number;
  messages: number;
}): Promise<{ send: number; receive: number; delete: number; rest: number }> {
  await using bench = await openBench(server);
  const instance = await bench.open();
  const total = lineCount * messages;
  const lineIds = Array.from({ length: lineCount }, (_, n) => n + 1);
  const before = bench.proxy.actions.length;
  await bench.put(lines(lineIds, messages));
  await deliver(instance, total);
  await until(async () => (await countOn(bench.queues, 'messages')) === 0, 'all copies are deleted');
  const actions = bench.proxy.actions.slice(before);
  const each = (name: string) => actions.filter((action) => action === name).length / total;
  const send = each('SendMessageBatch');
  const receive = each('ReceiveMessage');
  const deletes = each('DeleteMessageBatch');
  return { send, receive, delete: deletes, rest: actions.length / total - send - receive - deletes };
}

describe('requests to Amazon SQS', () => {
  it('number at most one for every three messages when many webhooks are busy', async (t) => {
    const found = await countRequests({ lineCount: 100, messages: 10 });
    t.diagnostic(JSON.stringify(found));
    assert.ok(found.send + found.receive + found.delete + found.rest <= 0.35, JSON.stringify(found));
  });

  it('number no more when only one webhook is busy', async (t) => {
    const found = await countRequests({ lineCount: 1, messages: 200 });
    t.diagnostic(JSON.stringify(found));
    assert.ok(found.send + found.receive + found.delete + found.rest <= 0.35, JSON.stringify(found));
  });

  it('number three for each message that one instance enqueues and another delivers', async () => {
    await using bench = await openBench(server);
    await bench.open({ polls: false, waitMs: 3_600_000 });
    const delivering = await bench.open({ waitSeconds: 20, waitMs: 3_600_000 });
    await until(() => bench.proxy.actions.includes('ReceiveMessage'), 'it receives');
    const before = bench.proxy.actions.length;
    const total = 20;
    for (let n = 0; n < total; n++) {
      await bench.put([messageOf(1, `m${n}`, Date.now())]);
      await deliver(delivering, 1);
    }
    await until(async () => (await countOn(bench.queues, 'messages')) === 0, 'all copies are deleted');
    const actions = bench.proxy.actions.slice(before);
    const counts = ['SendMessageBatch', 'ReceiveMessage', 'DeleteMessageBatch'].map(
      (name) => actions.filter((action) => action === name).length,
    );
    assert.deepEqual(counts, [total, total, total], actions.join());
  });

  it('read the attributes and tags of each queue once at a start', async () => {
    await using bench = await openBench(server);
    await bench.open({ waitSeconds: 20 });
    await until(() => bench.proxy.actions.includes('ReceiveMessage'), 'it receives');
    const once = ['GetQueueAttributes', 'ListQueueTags'].map((name) => bench.proxy.count(name));
    assert.deepEqual(once, [2, 2], bench.proxy.actions.join());
  });

  it('number one for each wait while the queue is idle, even after a busy time', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open({ waitSeconds: 1 });
    const lineIds = Array.from({ length: 40 }, (_, n) => n);
    await bench.put(lines(lineIds, 2));
    await deliver(instance, 80);
    await until(async () => (await countOn(bench.queues, 'messages')) === 0, 'all copies are deleted');
    const waits = () => bench.proxy.count('ReceiveMessage');
    // Receives beside the first end with the wait in which they find nothing.
    await delay(2_000);
    const before = bench.proxy.actions.length;
    const waitsBefore = waits();
    await delay(3_000);
    assert.equal(bench.proxy.actions.length - before, waits() - waitsBefore, 'nothing else is requested');
    assert.ok(waits() - waitsBefore <= 4, `${waits() - waitsBefore} calls in three waits`);
  });

  it('number few even if a server does not wait for messages', async () => {
    await using bench = await openBench(server);
    bench.proxy.treat = (action) => (action === 'ReceiveMessage' ? 'empty' : 'pass');
    using took = measureRunningTime();
    await bench.open();
    await until(() => bench.proxy.count('ReceiveMessage') > 5, 'several requests for messages');
    assert.ok(took.ms > 1_000, `${took.ms} ms`);
  });
});
