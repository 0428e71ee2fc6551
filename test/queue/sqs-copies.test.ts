import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CreateQueueCommand, DeleteQueueCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { Settlement } from '../../src/queue/message-queue.ts';
import { HOUR_MS } from '../../src/time/units.ts';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import { until } from '../support/service.ts';
import { settleAndReceive } from '../support/settle-and-receive.ts';
import { succeeds } from '../support/until.ts';
import { messageOf, readDeadLetters, VISIBILITY_MS } from './queue-engine.ts';
import {
  type Bench,
  countOn,
  deliver,
  inOrder,
  lines,
  openBench,
  readQueue,
  settle,
  sorted,
  takeUp,
} from './sqs-bench.ts';
import { type SqsServer, startSqsServer } from './sqs-server.ts';

let server: SqsServer;
aroundTests(async (parts) => {
  server = parts.use(await startSqsServer());
});

async function namesOfDead({ database }: Bench): Promise<string[]> {
  return (await readDeadLetters(database)).map((message) => message.messageId);
}

async function empty({ queues }: Bench): Promise<void> {
  await until(async () => (await countOn(queues, 'messages')) === 0, 'the queue is empty');
}

describe('a copy on Amazon SQS', () => {
  it('lets the polling instance deliver the message, whichever one sent it, long before the timer', async () => {
    await using bench = await openBench(server);
    await bench.open({ polls: false, waitMs: 3_600_000 });
    const polling = await bench.open({ waitMs: 3_600_000 });
    await bench.put(lines([1, 2, 3], 4));
    assert.deepEqual(sorted(await deliver(polling, 12)), sorted(inOrder([1, 2, 3], 4)));
    await empty(bench);
  });

  it('is deleted whether or not its message is settled', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    await bench.put(lines([1], 3));
    const message = await takeUp(instance);
    await settle(instance, { message, action: 'retry', availableAt: Date.now() + 3_600_000 });
    await empty(bench);
    assert.equal((await instance.queue.lines.line(1)).depth, 3);
  });

  it('does not bring forward a message that was postponed', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    await bench.put(lines([1], 1));
    const message = await takeUp(instance);
    const availableAt = Date.now() + 3_600_000;
    await settle(instance, { message, action: 'release', availableAt });
    await bench.put([messageOf(1, 'next', Date.now())]);
    await until(() => bench.proxy.count('DeleteMessageBatch') > 1, 'it came');
    // Receiving acts on what came.
    await settle(instance);
    const { head } = await instance.queue.lines.line(1);
    assert.equal(head?.messageId, '1-0');
    const [line] = await bench.database.reader.all('select available_at from queue_lines where line_id = 1');
    assert.deepEqual(line, { available_at: availableAt });
  });

  it('that was lost blocks nothing: the timer finds the line', async () => {
    await using bench = await openBench(server);
    const placing = await bench.open({ polls: false });
    await bench.put(lines([1, 2], 5));
    await until(async () => (await countOn(bench.queues, 'messages')) === 10, 'all are on the queue');
    await bench.queues.purge();
    const instance = await bench.open();
    assert.deepEqual(sorted(await deliver(instance, 10)), sorted(inOrder([1, 2], 5)));
    assert.equal((await placing.queue.lines.line(1)).depth, 0);
  });

  it('that another program received blocks nothing', async () => {
    await using bench = await openBench(server);
    await bench.open({ polls: false });
    await bench.put(lines([1], 4));
    await readQueue(bench.queues, 2);
    const instance = await bench.open();
    assert.deepEqual(sorted(await deliver(instance, 4)), sorted(inOrder([1], 4)));
    await empty(bench);
  });

  it('is left for later if a server returns more than the ten that were requested', async () => {
    await using bench = await openBench(server);
    let failures = 0;
    bench.proxy.treat = (action) => {
      const isFirst = action === 'ReceiveMessage' && bench.proxy.count(action) === 1;
      return isFirst ? 'eleven' : 'pass';
    };
    const onFailure = () => {
      failures += 1;
    };
    const instance = await bench.open({ onFailure });
    await until(() => bench.proxy.count('DeleteMessageBatch') > 0, 'copies are deleted');
    await bench.put(lines([1], 1));
    assert.equal((await deliver(instance, 1)).get(1)?.length, 1);
    await until(() => bench.proxy.count('ReceiveMessage') > 2, 'it receives again');
    assert.equal(failures, 0, 'no batch was too long');
  });

  it('of a settled message does nothing, and is deleted', async () => {
    await using bench = await openBench(server);
    const sent = async (round: number) => {
      const Entries = [0, 1].map((n) => ({
        Id: String(n),
        MessageBody: `{"name":"1-${n}"}`,
        MessageGroupId: '1',
        MessageDeduplicationId: `repeated-${round}-${n}`,
        MessageAttributes: {
          installation: { DataType: 'String', StringValue: 'test-installation' },
          message_id: { DataType: 'String', StringValue: `1-${n}` },
        },
      }));
      const QueueUrl = await bench.queues.url('messages');
      await bench.queues.client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    };
    const instance = await bench.open();
    await bench.put(lines([1], 2));
    assert.deepEqual(sorted(await deliver(instance, 2)), sorted(inOrder([1], 2)));
    for (const round of [1, 2]) await sent(round);
    await empty(bench);
    assert.deepEqual(await instance.queue.lines.line(1), { depth: 0, head: null });
  });

  it('is not needed: all is delivered while the queue does not exist, and copies are sent again once it does', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    const QueueUrl = await bench.queues.url('messages');
    await bench.queues.client.send(new DeleteQueueCommand({ QueueUrl }));
    await bench.put(lines([1, 2], 5));
    assert.deepEqual(sorted(await deliver(instance, 10)), sorted(inOrder([1, 2], 5)));
    await until(
      () =>
        instance.check().then(
          () => false,
          (error: Error) => /the queue is gone/.test(error.message),
        ),
      'readiness fails',
    );
    await bench.queues.client.send(
      new CreateQueueCommand({
        QueueName: bench.queues.place.messageQueueName,
        Attributes: { FifoQueue: 'true' },
      }),
    );
    await until(() => succeeds(instance.check()), 'ready again');
    await bench.put(lines([3], 5));
    assert.deepEqual(sorted(await deliver(instance, 5)), sorted(inOrder([3], 5)));
    await empty(bench);
  });

  it('is not sent for a line that was active within the last second: its next message is due at once', async () => {
    await using bench = await openBench(server);
    let time = Date.now();
    const instance = await bench.open({ waitMs: 3_600_000, now: () => time });
    const sends = () => bench.proxy.count('SendMessageBatch');
    await bench.put([messageOf(1, 'idle', time), messageOf(2, 'another idle', time)]);
    for (const _ of [1, 2]) await settle(instance, { message: await takeUp(instance), action: 'delete' });
    const sentBefore = sends();
    time += 999;
    await bench.put([messageOf(1, 'active', time)]);
    const message = await takeUp(instance);
    await settle(instance, { message, action: 'delete' });
    assert.deepEqual([message.messageId, sends()], ['active', sentBefore]);
    time += 1_000;
    await bench.put([messageOf(1, 'idle again', time)]);
    assert.equal((await takeUp(instance)).messageId, 'idle again');
    assert.ok(sends() > sentBefore);
  });

  it('is sent for a line that was active at a time that is in the future since the clock was set back', async () => {
    await using bench = await openBench(server);
    let time = Date.now();
    const instance = await bench.open({ waitMs: HOUR_MS, now: () => time });
    const sends = () => bench.proxy.count('SendMessageBatch');
    await bench.put([messageOf(1, 'before', time)]);
    await settle(instance, { message: await takeUp(instance), action: 'delete' });
    const sentBefore = sends();
    time -= HOUR_MS;
    await bench.put([messageOf(1, 'after', time)]);
    await until(() => sends() > sentBefore, 'its copy is sent');
  });

  it('of a failing webhook with a large backlog does not block the others', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    const others = [2, 3, 4, 5];
    await bench.put([...lines([1], 400), ...lines(others, 15)]);
    const came = new Map<number, string[]>();
    let finished: Settlement[] = [];
    await until(async () => {
      const { received } = await settleAndReceive(instance, {
        settlements: finished,
        capacity: 8,
        visibilityMs: VISIBILITY_MS,
        record: async (_tx, settled) => {
          for (const { settlement } of settled) {
            const { lineId, messageId } = settlement.message;
            if (settlement.action === 'delete') came.set(lineId, [...(came.get(lineId) ?? []), messageId]);
          }
        },
      });
      finished = received.map((message) =>
        message.lineId === 1
          ? { message, action: 'retry', availableAt: Date.now() + 1 }
          : { message, action: 'delete' },
      );
      return [...came.values()].flat().length === others.length * 15;
    }, 'the others are delivered');
    assert.deepEqual(sorted(came), sorted(inOrder(others, 15)));
    assert.equal((await instance.queue.lines.line(1)).depth, 400);
  });
});

describe('a dead letter', () => {
  it('is copied to the dead-letter queue, and delivered again when someone moves the copy back', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    // Dead letters of webhooks that do not exist do not change.
    await bench.database.transaction((tx) =>
      tx.run(
        `insert into webhooks (id, name, topic, all_subtopics, target_url, authentication_type, enabled, max_attempts,
           logging_mode, revision, created_at, updated_at)
         values (1, 'w', 'ACCOUNT', 1, 'http://x/', 'NONE', 1, 1, 'NONE', 1, 1, 1)`,
      ),
    );
    await bench.put(lines([1], 2));
    await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    await until(async () => (await countOn(bench.queues, 'dead letters')) === 1, 'its copy is there');
    assert.deepEqual(await namesOfDead(bench), ['1-0']);
    await empty(bench);
    const [copy] = await readQueue(bench.queues, 1, { queue: 'dead letters' });
    assert.ok(copy);
    await bench.queues.client.send(
      new SendMessageBatchCommand({
        QueueUrl: await bench.queues.url('messages'),
        Entries: [
          {
            Id: '0',
            MessageBody: copy.Body,
            MessageGroupId: copy.Attributes?.MessageGroupId,
            // As a redrive does: past the minutes in which the same id is the same message.
            MessageDeduplicationId: 'moved-back',
            MessageAttributes: copy.MessageAttributes,
          },
        ],
      }),
    );
    assert.deepEqual(sorted(await deliver(instance, 2)), [[1, ['1-1', '1-0']]]);
    assert.deepEqual(await namesOfDead(bench), []);
  });

  it('is copied once the dead-letter queue works again, by another instance if necessary', async () => {
    await using bench = await openBench(server);
    const first = await bench.open();
    await bench.put(lines([1], 1));
    const message = await takeUp(first);
    await until(() => bench.proxy.count('SendMessageBatch') === 1, 'the copy of the message is sent');
    bench.proxy.treat = (action) => (action === 'SendMessageBatch' ? 'unavailable' : 'pass');
    await settle(first, { message, action: 'dead-letter' });
    await until(() => bench.proxy.count('SendMessageBatch') > 1, 'the copy of the dead letter is refused');
    await first[Symbol.asyncDispose]();
    bench.proxy.treat = () => 'pass';
    await bench.open();
    await until(async () => (await countOn(bench.queues, 'dead letters')) === 1, 'its copy is there');
  });

  it('is copied each time its message is dead-lettered, also when the first copy was removed a moment before', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    await bench.put(lines([1], 1));
    await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    await readQueue(bench.queues, 1, { queue: 'dead letters' });
    await bench.database.transaction((tx) => instance.queue.lines.redeliver(tx, [messageOf(1, '1-0', 1)]));
    await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    const [copy] = await readQueue(bench.queues, 1, { queue: 'dead letters' });
    assert.equal(copy?.MessageAttributes?.message_id?.StringValue, '1-0');
  });

  it('is copied before the clock has caught up if it was set back since', async () => {
    await using bench = await openBench(server);
    const clock = new RunningClock();
    clock.aheadMs = HOUR_MS;
    const instance = await bench.open({ now: clock.now });
    bench.proxy.treat = (action) => (action === 'SendMessageBatch' ? 'unavailable' : 'pass');
    await bench.put(lines([1], 1));
    await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    clock.aheadMs = 0;
    bench.proxy.treat = () => 'pass';
    const [copy] = await readQueue(bench.queues, 1, { queue: 'dead letters' });
    assert.equal(copy?.MessageAttributes?.message_id?.StringValue, '1-0');
  });

  it('of the database queue is not copied; one that was due to be copied before is', async () => {
    await using bench = await openBench(server);
    await bench.database.transaction((tx) =>
      tx.run(
        `insert into queue_dead_letters (line_id, message_id, label, body, enqueued_at, dead_lettered_at, copy_at)
         values (1, 'never', 'L', '{}', 1, 1, null), (1, 'before', 'L', '{}', 1, 1, 0)`,
      ),
    );
    await bench.open();
    const [copy] = await readQueue(bench.queues, 1, { queue: 'dead letters' });
    assert.equal(copy?.MessageAttributes?.message_id?.StringValue, 'before');
    assert.equal(await countOn(bench.queues, 'dead letters'), 0);
  });
});

describe('an instance that ends while copies are on their way', () => {
  for (const action of ['delete', 'dead-letter'] as const) {
    it(`leaves nothing that another instance delivers again (${action})`, async () => {
      await using bench = await openBench(server);
      const first = await bench.open();
      await bench.put(lines([1], 3));
      bench.proxy.treat = (asked) => (asked === 'DeleteMessageBatch' ? 'cut before' : 'pass');
      const message = await takeUp(first);
      await settle(first, { message, action });
      await first[Symbol.asyncDispose]();
      bench.proxy.treat = () => 'pass';
      const second = await bench.open();
      assert.deepEqual(sorted(await deliver(second, 2)), sorted(new Map([[1, ['1-1', '1-2']]])));
      assert.deepEqual(await namesOfDead(bench), action === 'delete' ? [] : ['1-0']);
      await until(
        async () => (await countOn(bench.queues, 'dead letters')) === (action === 'delete' ? 0 : 1),
        'its copy is there',
      );
    });
  }
});

describe('a redelivered message', () => {
  it('is due at once, even though Amazon SQS drops a second copy with the same id', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open({ waitMs: 3_600_000 });
    await bench.put(lines([1], 1));
    await settle(instance, { message: await takeUp(instance), action: 'dead-letter' });
    await bench.database.transaction((tx) => instance.queue.lines.redeliver(tx, [messageOf(1, '1-0', 1)]));
    assert.equal((await takeUp(instance)).messageId, '1-0');
  });
});
