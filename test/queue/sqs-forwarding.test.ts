import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLogs } from '../../src/observability/log.ts';
import { until } from '../support/service.ts';
import { messageOf, readDeadLetters, VISIBILITY_MS } from './queue-engine.ts';
import { deliver, everyNth, inOrder, lines, openBench, readQueue, sorted } from './sqs-bench.ts';
import { openTestSqsQueue } from './sqs-engine.ts';
import { type SqsServer, startSqsServer } from './sqs-server.ts';

let server: SqsServer;
before(async () => {
  server = await startSqsServer();
});
after(() => server[Symbol.asyncDispose]());

describe('forwarding to Amazon SQS', () => {
  for (const treatment of ['unavailable', 'throttled', 'cut before', 'cut after'] as const) {
    it(`keeps order and loses nothing when sends fail (${treatment})`, async () => {
      await using bench = await openBench(server);
      bench.proxy.treat = everyNth(3, 'SendMessageBatch', treatment);
      const instance = await bench.open();
      await bench.put(lines([1, 2, 3], 8));
      assert.deepEqual(sorted(await deliver(instance, 24)), sorted(inOrder([1, 2, 3], 8)));
    });
  }

  it('keeps order when deletes and answers of receives are lost', async () => {
    await using bench = await openBench(server);
    const deletes = everyNth(2, 'DeleteMessageBatch', 'cut after');
    const receives = everyNth(5, 'ReceiveMessage', 'unavailable');
    bench.proxy.treat = (action) => (action === 'ReceiveMessage' ? receives(action) : deletes(action));
    const instance = await bench.open();
    await bench.put(lines([1, 2], 6));
    assert.deepEqual(sorted(await deliver(instance, 12)), sorted(inOrder([1, 2], 6)));
  });

  it('knows again what it could not delete, and delivers it once', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    // Longer than a message stays hidden: the first comes again before it is deleted.
    const failsUntil = performance.now() + VISIBILITY_MS * 1.5;
    bench.proxy.treat = (action) =>
      action === 'DeleteMessageBatch' && performance.now() < failsUntil ? 'unavailable' : 'pass';
    await bench.put(lines([1], 2));
    assert.deepEqual(sorted(await deliver(instance, 2)), sorted(inOrder([1], 2)));
  });

  it('keeps order over several instances that forward at once', async () => {
    await using bench = await openBench(server);
    for (let count = 0; count < 3; count++) await bench.open({ polls: false });
    await bench.put(lines([1, 2, 3], 6));
    const came = new Map<number, string[]>();
    for (const { Attributes, Body } of await readQueue(bench.queues, 18)) {
      const line = Number(Attributes?.MessageGroupId);
      came.set(line, [...(came.get(line) ?? []), JSON.parse(Body ?? '').name]);
    }
    assert.deepEqual(sorted(came), sorted(inOrder([1, 2, 3], 6)));
  });

  it('puts a bounded number of a line on the queue, so that a backlog leaves room for others', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open({ share: 3 });
    await bench.put([...lines([1], 20), ...lines([2], 1)]);
    await until(async () => {
      const waiting = await bench.database.reader.all(
        'select line_id from sqs_lines where forward_at is not null',
      );
      return waiting.length === 0;
    }, 'the forwarder has nothing more to do');
    const { ApproximateNumberOfMessages } = await bench.queues.attributes('messages');
    assert.equal(Number(ApproximateNumberOfMessages), 4);
    assert.deepEqual(sorted(await deliver(instance, 21)), [
      ...sorted(inOrder([1], 20)),
      ...sorted(inOrder([2], 1)),
    ]);
  });

  it('sends again, in order, what was purged from the queue', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open({ overdueMs: 500 });
    await bench.put(lines([1, 2], 5));
    await until(async () => {
      const { ApproximateNumberOfMessages } = await bench.queues.attributes('messages');
      return Number(ApproximateNumberOfMessages) === 10;
    }, 'all messages on the queue');
    await bench.queues.purge();
    assert.deepEqual(sorted(await deliver(instance, 10)), sorted(inOrder([1, 2], 5)));
  });

  it('sends again what another program took, as soon as a follower arrives in its stead', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open({ overdueMs: 3_600_000 });
    await bench.put(lines([1], 4));
    await readQueue(bench.queues, 1);
    assert.deepEqual(sorted(await deliver(instance, 4)), sorted(inOrder([1], 4)));
  });
});

describe('messages of which nothing is expected back', () => {
  it('are on the queue as they are, whole and in order, and leave the database', async () => {
    await using bench = await openBench(server);
    const { queue } = await bench.open({ polls: false });
    const bodies = ['{"name":"Zoë"}', '{"name":"\u{1f600} and \uffff"}', `{"name":"${'x'.repeat(300_000)}"}`];
    await bench.put(bodies.map((body, n) => ({ ...messageOf(7, `m${n}`, 1), body })));
    const read = await readQueue(bench.queues, 3);
    assert.deepEqual(
      read.map(({ Body }) => JSON.parse(Body ?? '')),
      bodies.map((body) => JSON.parse(body)),
    );
    assert.equal(read[0]?.Body, bodies[0]);
    assert.ok(read.every(({ Attributes }) => Attributes?.MessageGroupId === '7'));
    await until(async () => (await queue.line(7)).depth === 0, 'the line is empty');
  });

  it('are delivered, in order with later ones, when polling is enabled again', async () => {
    await using bench = await openBench(server);
    await using silent = await bench.open({ polls: false });
    await bench.put(lines([1], 3));
    await until(async () => (await silent.queue.line(1)).depth === 0, 'all were forwarded');
    await silent[Symbol.asyncDispose]();
    const instance = await bench.open();
    await bench.database.transaction((tx) =>
      instance.queue.enqueue(tx, [messageOf(1, '1-3', Date.now()), messageOf(1, '1-4', Date.now())]),
    );
    assert.deepEqual(sorted(await deliver(instance, 5)), sorted(inOrder([1], 5)));
  });
});

describe('a message that processes die over', () => {
  it('is dead-lettered in the history when Amazon SQS has moved it by itself', async () => {
    await using bench = await openBench(server, { maxReceives: 1 });
    const recorded: string[] = [];
    const instance = await bench.open({
      overdueMs: 500,
      recordDeadLettered: async (_tx, messages) => void recorded.push(...messages.map((m) => m.messageId)),
    });
    await bench.put(lines([1], 2));
    const taken = await until(async () => {
      const { received } = await instance.queue.exchange({
        settlements: [],
        capacity: 1,
        visibilityMs: 1_000,
        record: async () => {},
      });
      return received[0];
    }, 'the head arrives');
    assert.equal(taken.isLastReceive, true);
    // Never settled: its visibility ends, and its one receive is used up.
    const came = await deliver(instance, 1);
    assert.deepEqual(sorted(came), [[1, ['1-1']]]);
    assert.deepEqual(recorded, ['1-0']);
    assert.deepEqual(
      (await readDeadLetters(bench.database)).map((m) => m.messageId),
      ['1-0'],
    );
  });
});

describe('an outage of Amazon SQS', () => {
  for (const treatment of ['expired', 'unavailable', 'cut before'] as const) {
    it(`is said once, shows in readiness, and ends by itself (${treatment})`, async () => {
      await using bench = await openBench(server);
      const said: { level: string; msg: string }[] = [];
      const logs = createLogs({
        level: 'info',
        customLevels: {},
        destination: { write: (line) => void said.push(JSON.parse(line)) },
      });
      let failures = 0;
      const instance = await bench.open({
        log: logs.for('MessageQueue'),
        onFailure: () => {
          failures += 1;
        },
      });
      await bench.put(lines([1], 2));
      assert.equal((await deliver(instance, 2)).get(1)?.length, 2);
      await instance.check();
      bench.proxy.treat = () => treatment;
      await bench.put(lines([1], 3));
      await until(() => failures > 3, 'several requests failed');
      await assert.rejects(instance.check(), /Amazon SQS/);
      bench.proxy.treat = () => 'pass';
      assert.equal((await deliver(instance, 3)).get(1)?.length, 3);
      await until(
        () =>
          instance.check().then(
            () => true,
            () => false,
          ),
        'ready again',
      );
      await until(() => said.some(({ msg }) => msg === 'Amazon SQS works again'), 'the recovery is said');
      assert.equal(said.filter(({ level }) => level === 'error').length, 1, JSON.stringify(said));
    });
  }

  it('at the start does not keep the service from starting; a queue that is missing does', async () => {
    await using bench = await openBench(server);
    bench.proxy.treat = () => 'throttled';
    const instance = await bench.open();
    await assert.rejects(instance.check(), /too many requests/);
    bench.proxy.treat = () => 'pass';
    await assert.rejects(
      openTestSqsQueue(bench.database, { place: { ...bench.queues.place, messageQueueName: 'none.fifo' } }),
      { name: 'SqsSetupError', message: /none\.fifo.*coursewire queues create/ },
    );
  });
});
