import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DeleteMessageCommand, SendMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { HeadAction, Settlement } from '../../src/queue/message-queue.ts';
import type { OpenSqsQueue } from '../../src/queue/sqs/open-sqs-queue.ts';
import { until } from '../support/service.ts';
import { messageOf, readDeadLetters, VISIBILITY_MS } from './queue-engine.ts';
import {
  type Bench,
  deliver,
  inOrder,
  lines,
  openBench,
  readQueue,
  settle,
  sorted,
  takeUp,
} from './sqs-bench.ts';
import { type SqsServer, startSqsServer, type TestQueues } from './sqs-server.ts';

const HOUR_MS = 3_600_000;

let server: SqsServer;
before(async () => {
  server = await startSqsServer();
});
after(() => server[Symbol.asyncDispose]());

async function act({ database }: Bench, { queue }: OpenSqsQueue, action: HeadAction): Promise<void> {
  const result = await database.transaction((tx) => queue.actOnHead(tx, 1, action));
  assert.equal(result.outcome, 'done');
}

async function receiptOf({ database }: Bench): Promise<string | null> {
  const [row] = await database.reader.all<{ receipt_handle: string | null }>(
    'select receipt_handle from sqs_lines where line_id = 1',
  );
  return row?.receipt_handle ?? null;
}

async function countOn(queues: TestQueues, queue: 'messages' | 'dead letters'): Promise<number> {
  const attributes = await queues.attributes(queue);
  return (
    Number(attributes.ApproximateNumberOfMessages) + Number(attributes.ApproximateNumberOfMessagesNotVisible)
  );
}

async function namesOfDead({ database }: Bench): Promise<string[]> {
  return (await readDeadLetters(database)).map((message) => message.messageId);
}

describe('a head that waits for long', () => {
  for (const action of ['retry', 'dead-letter'] as const) {
    it(`obeys an administrator at once, also after it showed itself too early (${action})`, async () => {
      await using bench = await openBench(server);
      const instance = await bench.open({ overdueMs: HOUR_MS });
      // It is not hidden for the hour, so it comes again, and is hidden then.
      const failsUntil = performance.now() + VISIBILITY_MS * 1.5;
      bench.proxy.treat = (asked) =>
        asked === 'ChangeMessageVisibilityBatch' && performance.now() < failsUntil ? 'unavailable' : 'pass';
      await bench.put(lines([1], 2));
      const message = await takeUp(instance);
      const first = await receiptOf(bench);
      await settle(instance, { message, action: 'retry', availableAt: Date.now() + HOUR_MS });
      await until(async () => {
        await settle(instance);
        return (await receiptOf(bench)) !== first && !instance.queue.isTelling;
      }, 'it came again and was hidden');
      await act(bench, instance, action);
      assert.deepEqual(
        sorted(await deliver(instance, 1)),
        sorted(new Map([[1, [action === 'retry' ? '1-0' : '1-1']]])),
      );
    });
  }

  it('is sent again when a follower shows that it has left the queue, and obeys an administrator then', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open({ overdueMs: HOUR_MS });
    await bench.put(lines([1], 2));
    const message = await takeUp(instance);
    await settle(instance, { message, action: 'retry', availableAt: Date.now() + HOUR_MS });
    await until(() => !instance.queue.isTelling, 'it is hidden');
    const ReceiptHandle = (await receiptOf(bench)) ?? '';
    const QueueUrl = await bench.queues.url('messages');
    await bench.queues.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    await until(async () => {
      await settle(instance);
      const now = await receiptOf(bench);
      return now !== null && now !== ReceiptHandle && !instance.queue.isTelling;
    }, 'its new copy is hidden');
    await act(bench, instance, 'retry');
    assert.deepEqual(sorted(await deliver(instance, 2)), sorted(inOrder([1], 2)));
  });

  it('is retried and dead-lettered from another instance than the one that had it', async () => {
    await using bench = await openBench(server);
    const first = await bench.open({ overdueMs: HOUR_MS });
    const second = await bench.open({ overdueMs: HOUR_MS });
    await bench.put(lines([1], 2));
    for (const action of ['retry', 'dead-letter'] as const) {
      const message = await takeUp(first);
      assert.equal(message.messageId, '1-0');
      await settle(first, { message, action: 'retry', availableAt: Date.now() + HOUR_MS });
      await until(() => !first.queue.isTelling, 'it is hidden');
      await act(bench, second, action);
    }
    assert.equal((await takeUp(first)).messageId, '1-1');
    assert.deepEqual(await namesOfDead(bench), ['1-0']);
    await until(async () => (await countOn(bench.queues, 'dead letters')) === 1, 'its copy is there, too');
  });
});

describe('what left the queue', () => {
  it('is sent again though nobody asks for messages meanwhile', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open({ overdueMs: 500 });
    await bench.put(lines([1, 2], 3));
    await settle(instance);
    await until(async () => (await countOn(bench.queues, 'messages')) === 6, 'all messages on the queue');
    await bench.queues.purge();
    await until(async () => (await countOn(bench.queues, 'messages')) === 6, 'all are there again');
    assert.deepEqual(sorted(await deliver(instance, 6)), sorted(inOrder([1, 2], 3)));
  });

  it('by the redrive policy is sent again when the service never had it out', async () => {
    await using bench = await openBench(server, { maxReceives: 1 });
    const recorded: string[] = [];
    const instance = await bench.open({
      overdueMs: 500,
      recordDeadLettered: async (_tx, messages) => void recorded.push(...messages.map((m) => m.messageId)),
    });
    await bench.put(lines([1], 2));
    await readQueue(bench.queues, 1, { visibilitySeconds: 1 });
    await until(async () => {
      await settle(instance);
      return (await countOn(bench.queues, 'dead letters')) === 1;
    }, 'Amazon SQS moved it');
    assert.deepEqual(sorted(await deliver(instance, 2)), sorted(inOrder([1], 2)));
    assert.deepEqual([recorded, await namesOfDead(bench)], [[], []]);
  });

  it('is a dead letter once processes died over it as often as may be, though Amazon SQS counts anew', async () => {
    await using bench = await openBench(server, { maxReceives: 2 });
    const recorded: string[] = [];
    const instance = await bench.open({
      overdueMs: 500,
      recordDeadLettered: async (_tx, messages) => void recorded.push(...messages.map((m) => m.messageId)),
    });
    await bench.put(lines([1], 1));
    for (const receiveCount of [1, 2]) {
      const message = await takeUp(instance);
      assert.deepEqual([message.messageId, message.receiveCount], ['1-0', receiveCount]);
      await bench.queues.purge();
    }
    await until(() => recorded.length > 0, 'it is dead');
    assert.deepEqual([recorded, await namesOfDead(bench)], [['1-0'], ['1-0']]);
    assert.equal((await instance.queue.line(1)).depth, 0);
    await until(async () => (await countOn(bench.queues, 'dead letters')) === 1, 'a copy is sent there');
  });
});

describe('an instance that ends between what it commits and what it tells Amazon SQS', () => {
  for (const action of ['delete', 'dead-letter'] as const) {
    it(`leaves nothing that another one delivers again (${action})`, async () => {
      await using bench = await openBench(server);
      const first = await bench.open();
      await bench.put(lines([1], 3));
      const message = await takeUp(first);
      bench.proxy.treat = (asked) => (asked === 'DeleteMessageBatch' ? 'cut before' : 'pass');
      await settle(first, { message, action });
      await first[Symbol.asyncDispose]();
      bench.proxy.treat = () => 'pass';
      const second = await bench.open();
      assert.deepEqual(sorted(await deliver(second, 2)), sorted(new Map([[1, ['1-1', '1-2']]])));
      assert.deepEqual(await namesOfDead(bench), action === 'delete' ? [] : ['1-0']);
      await until(async () => {
        await settle(second);
        return (await countOn(bench.queues, 'messages')) === 0;
      }, 'the queue is empty');
      assert.equal(await countOn(bench.queues, 'dead letters'), action === 'delete' ? 0 : 1);
    });
  }
});

describe('the queue', () => {
  it('is freed of what other programs send to it, which goes to the dead-letter queue', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open();
    const QueueUrl = await bench.queues.url('messages');
    for (const group of ['1', 'somebody'])
      await bench.queues.client.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: `for ${group}`,
          MessageGroupId: group,
          MessageDeduplicationId: group,
        }),
      );
    await bench.put(lines([1], 3));
    assert.deepEqual(sorted(await deliver(instance, 3)), sorted(inOrder([1], 3)));
    await until(async () => {
      await settle(instance);
      return (await countOn(bench.queues, 'messages')) === 0;
    }, 'the queue is empty');
    assert.equal(await countOn(bench.queues, 'dead letters'), 2);
    assert.deepEqual(await namesOfDead(bench), []);
  });

  it('lets no failing webhook with a large backlog stop the others', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open({ share: 4 });
    const others = [2, 3, 4, 5];
    await bench.put([...lines([1], 400), ...lines(others, 15)]);
    const came = new Map<number, string[]>();
    let finished: Settlement[] = [];
    await until(async () => {
      const { received } = await instance.queue.exchange({
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
    await until(async () => (await countOn(bench.queues, 'messages')) === 4, 'its share is on the queue');
    assert.equal((await instance.queue.line(1)).depth, 400);
  });
});

describe('a body that is too long for the queue', () => {
  const body = JSON.stringify({ name: 'long', text: 'ü'.repeat(4_000) });

  async function openSmallBench(): Promise<Bench> {
    const bench = await openBench(server);
    const QueueUrl = await bench.queues.url('messages');
    await bench.queues.client.send(
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { MaximumMessageSize: '4096' } }),
    );
    return bench;
  }

  it('is delivered byte for byte while the service polls', async () => {
    await using bench = await openSmallBench();
    const instance = await bench.open();
    await bench.put([{ ...messageOf(1, 'long', 1), body }, messageOf(1, 'next', 2)]);
    const message = await takeUp(instance);
    assert.deepEqual([message.messageId, message.body], ['long', body]);
    await settle(instance, { message, action: 'delete' });
    assert.equal((await takeUp(instance)).messageId, 'next');
  });

  it('is dead-lettered, and keeps no follower back, while another program reads the queue', async () => {
    await using bench = await openSmallBench();
    const recorded: string[] = [];
    const instance = await bench.open({
      polls: false,
      recordDeadLettered: async (_tx, messages) => void recorded.push(...messages.map((m) => m.messageId)),
    });
    await bench.put([{ ...messageOf(1, 'long', 1), body }, messageOf(1, 'next', 2)]);
    const [read] = await readQueue(bench.queues, 1);
    assert.equal(read?.Body, '{"name":"next"}');
    assert.deepEqual([recorded, await namesOfDead(bench)], [['long'], ['long']]);
    await until(async () => (await instance.queue.line(1)).depth === 0, 'the line is empty');
  });
});
