import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { MIB } from '../../src/bytes.ts';
import type { QueueMessage } from '../../src/queue/message-queue.ts';
import { aroundTests } from '../support/around-tests.ts';
import { recordedLogs } from '../support/logs.ts';
import { until } from '../support/service.ts';
import { watchedDatabase } from '../support/watched-database.ts';
import { messageOf } from './queue-engine.ts';
import {
  countOn,
  deliver,
  everyNth,
  inOrder,
  lines,
  openBench,
  readQueue,
  settle,
  sorted,
  takeUp,
} from './sqs-bench.ts';
import { openTestSqsQueue } from './sqs-engine.ts';
import { type SqsServer, startSqsServer } from './sqs-server.ts';

let server: SqsServer;
aroundTests(async (parts) => {
  server = parts.use(await startSqsServer());
});

/** A message for each length of a body, all of different lines: one that is long, and ten that are so together. */
function longMessages(): QueueMessage[] {
  return [300_000, ...Array.from({ length: 10 }, () => 30_000)].map((length, n) => ({
    ...messageOf(n + 1, `long-${n}`, 1),
    body: JSON.stringify({ text: 'x'.repeat(length) }),
  }));
}

describe('sending messages to Amazon SQS', () => {
  for (const treatment of ['unavailable', 'throttled', 'cut before', 'cut after'] as const) {
    it(`keeps order and loses nothing when sends fail (${treatment})`, async () => {
      await using bench = await openBench(server);
      bench.proxy.treat = everyNth(3, 'SendMessageBatch', treatment);
      const instance = await bench.open();
      await bench.put(lines([1, 2, 3], 8));
      assert.deepEqual(sorted(await deliver(instance, 24)), sorted(inOrder([1, 2, 3], 8)));
    });
  }

  it('sends every copy again that failed as the fault of the sender, such as throttled ones', async () => {
    await using bench = await openBench(server);
    let failures = 0;
    const onFailure = () => {
      failures += 1;
    };
    const instance = await bench.open({ polls: false, onFailure });
    bench.proxy.treat = (action) => (action === 'SendMessageBatch' ? 'entries throttled' : 'pass');
    await bench.put(lines([1, 2], 3));
    await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    await until(() => failures > 3, 'several requests failed');
    await assert.rejects(instance.check(), /too many requests/);
    bench.proxy.treat = () => 'pass';
    await until(async () => (await countOn(bench.queues, 'messages')) === 5, 'all are on the queue');
    await until(
      async () => (await countOn(bench.queues, 'dead letters')) === 1,
      'the dead letter is on its queue',
    );
  });

  it('sends no copy again that Amazon SQS will never accept, and logs one line for each batch', async () => {
    await using bench = await openBench(server);
    const { logs, lines: logged } = recordedLogs();
    const instance = await bench.open({ polls: false, log: logs.for('MessageQueue') });
    bench.proxy.treat = (action) => (action === 'SendMessageBatch' ? 'entries refused' : 'pass');
    await bench.put(lines([1], 4));
    await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    await until(() => logged.length >= 2, 'both refusals are logged');
    await instance.check();
    const [first, second] = logged;
    assert.deepEqual([first?.reason, second?.reason], ['InvalidMessageContents', 'InvalidMessageContents']);
    assert.match(first?.msg ?? '', /refused copies of messages/);
    assert.match(second?.msg ?? '', /refused copies of dead letters/);
    assert.deepEqual(second?.message_ids, ['1-0']);
    bench.proxy.treat = () => 'pass';
    await bench.put(lines([2], 1));
    const [copy] = await readQueue(bench.queues, 1);
    assert.equal(copy?.Attributes?.MessageGroupId, '2');
    assert.equal(logged.length, 2);
  });

  it('assumes the former limit of Amazon SQS if a server reports none', async () => {
    await using bench = await openBench(server);
    bench.proxy.treat = (action) => {
      if (action === 'GetQueueAttributes') return 'no limits';
      return action === 'SendMessageBatch' ? 'short batches' : 'pass';
    };
    const instance = await bench.open();
    const messages = longMessages();
    await bench.put(messages);
    for (const _ of messages)
      await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    const copies = await readQueue(bench.queues, messages.length, { queue: 'dead letters' });
    assert.equal(copies.filter(({ Body = '' }) => Body.length > 30_000).length, 10);
    await instance.check();
  });

  it('sends each copy of a refused batch alone, and no copy again that is refused alone', async () => {
    await using bench = await openBench(server);
    const { logs, lines: logged } = recordedLogs();
    bench.proxy.treat = (action) => (action === 'SendMessageBatch' ? 'short batches' : 'pass');
    const instance = await bench.open({ polls: false, log: logs.for('MessageQueue') });
    await bench.put(longMessages());
    const copies = await readQueue(bench.queues, 10);
    assert.ok(copies.every(({ Body = '' }) => Body.length > 30_000));
    await until(() => logged.length > 0, 'the refusal is logged');
    assert.deepEqual(
      logged.map(({ reason, message_ids }) => [reason, message_ids]),
      [['InvalidAttributeValue', ['long-0']]],
    );
    await instance.check();
  });

  it('keeps order when deletes and responses to receives are lost', async () => {
    await using bench = await openBench(server);
    const deletes = everyNth(2, 'DeleteMessageBatch', 'cut after');
    const receives = everyNth(5, 'ReceiveMessage', 'unavailable');
    bench.proxy.treat = (action) => (action === 'ReceiveMessage' ? receives(action) : deletes(action));
    const instance = await bench.open();
    await bench.put(lines([1, 2], 6));
    assert.deepEqual(sorted(await deliver(instance, 12)), sorted(inOrder([1, 2], 6)));
  });

  it('sends messages in batches of ten', async () => {
    await using bench = await openBench(server);
    await bench.open({ polls: false });
    await bench.put(lines([1, 2, 3], 25));
    await until(async () => (await countOn(bench.queues, 'messages')) === 75, 'all are on the queue');
    const sends = bench.proxy.count('SendMessageBatch');
    // Three of each line.
    assert.ok(sends <= 9, `${sends} requests for 75 messages`);
  });

  it('sends every message in the order of its line if several instances send and none polls', async () => {
    await using bench = await openBench(server);
    await bench.open({ polls: false });
    await bench.put(lines([1, 2, 3], 25));
    for (let count = 0; count < 2; count++) await bench.open({ polls: false });
    await until(async () => (await countOn(bench.queues, 'messages')) === 75, 'all are on the queue');
    const came = new Map<number, string[]>();
    for (const { Attributes, Body } of await readQueue(bench.queues, 75)) {
      const line = Number(Attributes?.MessageGroupId);
      came.set(line, [...(came.get(line) ?? []), JSON.parse(Body ?? '').name]);
    }
    assert.deepEqual(sorted(came), sorted(inOrder([1, 2, 3], 25)));
    assert.equal(bench.instances[0]?.obstacle(), null);
  });

  it('sends messages that are too long for one batch in further batches, in order, each once', async () => {
    await using bench = await openBench(server);
    const QueueUrl = await bench.queues.url('messages');
    await bench.queues.client.send(
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { MaximumMessageSize: '262144' } }),
    );
    await bench.open({ polls: false });
    const names = Array.from({ length: 10 }, (_, n) => `long-${n}`);
    const text = 'x'.repeat(60_000);
    await bench.put(
      names.map((name, n) => ({ ...messageOf(1, name, n), body: JSON.stringify({ name, text }) })),
    );
    await until(async () => (await countOn(bench.queues, 'messages')) === 10, 'all are on the queue');
    const sends = bench.proxy.count('SendMessageBatch');
    assert.ok(sends <= 3, `${sends} requests for 10 messages`);
    assert.deepEqual(
      (await readQueue(bench.queues, 10)).map(({ Body }) => JSON.parse(Body ?? '').name),
      names,
    );
  });

  it('reads a backlog of large messages in parts of a few MiB, however many lines have some', async () => {
    await using bench = await openBench(server);
    let largest = 0;
    const database = watchedDatabase(bench.database, ({ member, result }) => {
      if (member !== 'all' && member !== 'allFor') return;
      const rows = result as readonly { body?: string }[];
      largest = Math.max(
        largest,
        rows.reduce((bytes, { body = '' }) => bytes + body.length, 0),
      );
    });
    await using instance = await openTestSqsQueue(database, bench.queues, { polls: false, waitMs: 0 });
    const lineIds = Array.from({ length: 20 }, (_, n) => n + 1);
    const text = 'x'.repeat(250_000);
    const messages = lines(lineIds, 4).map((message) => ({
      ...message,
      body: JSON.stringify({ name: message.messageId, text }),
    }));
    await database.transaction((tx) => instance.queue.enqueue(tx, messages));
    const came = new Map<number, string[]>();
    for (const { Attributes, Body } of await readQueue(bench.queues, 80)) {
      const line = Number(Attributes?.MessageGroupId);
      came.set(line, [...(came.get(line) ?? []), JSON.parse(Body ?? '').name]);
    }
    assert.deepEqual(sorted(came), sorted(inOrder(lineIds, 4)));
    for (const _ of lineIds)
      await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    await readQueue(bench.queues, 20, { queue: 'dead letters' });
    assert.ok(largest > 0 && largest <= 4 * MIB, `${largest} bytes at once`);
  });

  it('keeps the order of a line, each message once, if several instances queue to it', async () => {
    await using bench = await openBench(server);
    for (let count = 0; count < 3; count++) await bench.open({ polls: false });
    for (let n = 0; n < 20; n++)
      await Promise.all(
        bench.instances.map(({ queue }, place) =>
          bench.database.transaction((tx) => queue.enqueue(tx, [messageOf(1, `m${n}-${place}`, Date.now())])),
        ),
      );
    await until(async () => (await countOn(bench.queues, 'messages')) >= 60, 'all are on the queue');
    const queued = await bench.database.reader.all<{ message_id: string }>(
      'select message_id from queue_messages order by id',
    );
    const read = await readQueue(bench.queues, 60);
    assert.deepEqual(
      read.map(({ MessageAttributes }) => MessageAttributes?.message_id?.StringValue),
      queued.map(({ message_id }) => message_id),
    );
  });

  it('keeps every unsettled message in the database', async () => {
    await using bench = await openBench(server);
    const { queue } = await bench.open({ polls: false });
    await bench.put(lines([1], 12));
    await until(async () => (await countOn(bench.queues, 'messages')) === 12, 'all are on the queue');
    assert.equal((await queue.lines.line(1)).depth, 12);
  });

  it('leaves no note of copies once a line is forgotten', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    const noted = async () => {
      const rows = await bench.database.reader.all<{ line_id: number }>(
        'select line_id from sqs_placed order by line_id',
      );
      return rows.map((row) => row.line_id);
    };
    await bench.put(lines([1, 2], 1));
    await deliver(instance, 2);
    await until(async () => (await noted()).length === 2, 'both are noted');
    await bench.put(lines([2], 1));
    await bench.database.transaction((tx) => instance.queue.lines.forgetLines(tx, [1, 2]));
    assert.deepEqual(await noted(), [2], 'a message of the other one waits');
  });

  it('sends the messages of an instance that died before it sent anything', async () => {
    await using bench = await openBench(server);
    bench.proxy.treat = (action) => (action === 'SendMessageBatch' ? 'unavailable' : 'pass');
    const first = await bench.open({ polls: false });
    await bench.put(lines([1, 2], 3));
    await first[Symbol.asyncDispose]();
    bench.proxy.treat = () => 'pass';
    await bench.open({ polls: false });
    await until(async () => (await countOn(bench.queues, 'messages')) === 6, 'all are on the queue');
  });

  it('keeps few copies of a failing webhook while the service polls, whatever its backlog', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    await bench.put(lines([1], 1));
    const message = await takeUp(instance);
    await settle(instance, { message, action: 'retry', availableAt: Date.now() + 3_600_000 });
    await bench.put(lines([1, 2], 100));
    assert.deepEqual(sorted(await deliver(instance, 100)), sorted(inOrder([2], 100)));
    await until(async () => (await countOn(bench.queues, 'messages')) <= 10, 'few copies are left');
    assert.equal((await instance.queue.lines.line(1)).depth, 101);
  });

  it('writes equivalent bodies in ASCII, with the ids of the installation and the message', async () => {
    await using bench = await openBench(server);
    await bench.open({ polls: false, installation: 'this one' });
    const bodies = ['{"name":"Zoë"}', '{"name":"\u{1f600} and \uffff"}', `{"name":"${'x'.repeat(250_000)}"}`];
    await bench.put(bodies.map((body, n) => ({ ...messageOf(7, `m${n}`, 1), body })));
    const read = await readQueue(bench.queues, 3);
    assert.deepEqual(
      read.map(({ Body }) => JSON.parse(Body ?? '')),
      bodies.map((body) => JSON.parse(body)),
    );
    assert.ok(read.every(({ Attributes }) => Attributes?.MessageGroupId === '7'));
    assert.deepEqual(
      read.map(({ Attributes }) => Attributes?.MessageDeduplicationId),
      ['m0', 'm1', 'm2'],
    );
    assert.ok(
      read.every(({ MessageAttributes }) => MessageAttributes?.installation?.StringValue === 'this one'),
    );
  });

  it('omits a body that is too long for the queue from the copy, and delivers it byte for byte', async () => {
    await using bench = await openBench(server);
    const QueueUrl = await bench.queues.url('messages');
    await bench.queues.client.send(
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { MaximumMessageSize: '4096' } }),
    );
    const instance = await bench.open();
    const body = JSON.stringify({ name: 'long', text: 'ü'.repeat(4_000) });
    await bench.put([{ ...messageOf(1, 'long', 1), body }, messageOf(1, 'next', 2)]);
    const message = await takeUp(instance);
    assert.deepEqual([message.messageId, message.body], ['long', body]);
    await settle(instance, { message, action: 'delete' });
    assert.equal((await takeUp(instance)).messageId, 'next');
  });

  it('omits the body of a dead letter that is too long for its queue alone', async () => {
    await using bench = await openBench(server);
    const QueueUrl = await bench.queues.url('dead letters');
    await bench.queues.client.send(
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { MaximumMessageSize: '4096' } }),
    );
    const instance = await bench.open();
    const body = JSON.stringify({ name: 'long', text: 'x'.repeat(5_000) });
    await bench.put([{ ...messageOf(1, 'long', 1), body }]);
    await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    const [copy] = await readQueue(bench.queues, 1, { queue: 'dead letters' });
    assert.deepEqual(JSON.parse(copy?.Body ?? ''), { body_left_out: body.length });
  });
});
