import assert from 'node:assert/strict';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Database } from '../../src/database/database.ts';
import type { QueueMessage, ReceivedMessage, Settled, Settlement } from '../../src/queue/message-queue.ts';
import type { SqsQueueOptions } from '../../src/queue/open-sqs-queue.ts';
import { openTestDatabase } from '../support/database.ts';
import { until } from '../support/service.ts';
import { settleAndReceive } from '../support/settle-and-receive.ts';
import { messageOf, VISIBILITY_MS } from './queue-engine.ts';
import { openTestSqsQueue, type TestSqsQueue } from './sqs-engine.ts';
import { type SqsProxy, startSqsProxy, type Treatment } from './sqs-proxy.ts';
import { createTestQueues, type SqsServer, type TestQueues } from './sqs-server.ts';

/** The engine over queues of a test, behind a proxy that may fail. */
export interface Bench extends AsyncDisposable {
  database: Database;
  queues: TestQueues;
  proxy: SqsProxy;
  readonly instances: readonly TestSqsQueue[];
  /** Opens an instance of the engine behind the proxy. Messages are queued through the first one. */
  open(overrides?: Partial<SqsQueueOptions>): ReturnType<typeof openTestSqsQueue>;
  put(messages: readonly QueueMessage[]): Promise<void>;
}

/** Opens a database and queues. Messages are queued through the first instance that is opened. */
export async function openBench(server: SqsServer, options: { maxReceives?: number } = {}): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const { database } = stack.use(await openTestDatabase());
  const queues = stack.use(await createTestQueues(server, options));
  const proxy = stack.use(await startSqsProxy(server.endpoint));
  const instances: TestSqsQueue[] = [];
  const opened = stack.move();
  return {
    database,
    queues,
    proxy,
    instances,
    open: async (overrides) => {
      const instance = opened.use(
        await openTestSqsQueue(database, { place: { ...queues.place, endpoint: proxy.endpoint } }, overrides),
      );
      instances.push(instance);
      return instance;
    },
    put: async (messages) => {
      const [first] = instances;
      assert.ok(first);
      const { queue } = first;
      await database.transaction((tx) => queue.enqueue(tx, messages));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Receives and deletes messages as another program would, until this many have arrived. */
export async function readQueue(
  queues: TestQueues,
  count: number,
  { queue = 'messages' }: { queue?: 'messages' | 'dead letters' } = {},
): Promise<Message[]> {
  const QueueUrl = await queues.url(queue);
  const read: Message[] = [];
  await until(async () => {
    const { Messages = [] } = await queues.client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        WaitTimeSeconds: 1,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['MessageGroupId', 'MessageDeduplicationId'],
      }),
    );
    for (const message of Messages) {
      read.push(message);
      const { ReceiptHandle } = message;
      await queues.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    return read.length >= count;
  }, `${count} messages on the queue`);
  return read;
}

/**
 * Receives and deletes messages as the service does, until this many have arrived. Returns their names by line. It
 * pauses, and waits no longer than a deadline, only while there is nothing to do.
 */
export async function deliver(instance: TestSqsQueue, count: number): Promise<Map<number, string[]>> {
  const came = new Map<number, string[]>();
  let total = 0;
  let finished: readonly Settlement[] = [];
  const turn = async () => {
    const settlements = finished;
    finished = [];
    let effective: readonly Settled[] = [];
    const { received } = await settleAndReceive(instance, {
      settlements,
      capacity: 8,
      visibilityMs: VISIBILITY_MS,
      record: async (_tx, settled) => {
        effective = settled;
      },
    });
    for (const { settlement } of effective) {
      const { lineId, messageId } = settlement.message;
      came.set(lineId, [...(came.get(lineId) ?? []), messageId]);
      total += 1;
    }
    finished = received.map((message) => ({ message, action: 'delete' }) as const);
    return finished.length + effective.length > 0;
  };
  while (total < count) await until(turn, `message ${total + 1} of ${count} delivered`);
  return came;
}

/** This many messages for each line, in turn. Each is named after its line and number. */
export function lines(lineIds: readonly number[], count: number): QueueMessage[] {
  return Array.from({ length: count }, (_, n) =>
    lineIds.map((line) => messageOf(line, `${line}-${n}`, Date.now())),
  ).flat();
}

/** The names of {@link lines}, by line. */
export function inOrder(lineIds: readonly number[], count: number): Map<number, string[]> {
  return new Map(lineIds.map((line) => [line, Array.from({ length: count }, (_, n) => `${line}-${n}`)]));
}

/** Sorted by line, for comparisons. */
export function sorted(came: Map<number, string[]>): [number, string[]][] {
  return [...came].sort(([a], [b]) => a - b);
}

/** Makes every nth request of an action fail. */
export function everyNth(n: number, action: string, treatment: Treatment): (asked: string) => Treatment {
  let count = 0;
  return (asked) => {
    if (asked !== action) return 'pass';
    count += 1;
    return count % n === 0 ? treatment : 'pass';
  };
}

/** How many messages a queue holds, visible or not. */
export async function countOn(queues: TestQueues, queue: 'messages' | 'dead letters'): Promise<number> {
  const attributes = await queues.attributes(queue);
  return (
    Number(attributes.ApproximateNumberOfMessages) + Number(attributes.ApproximateNumberOfMessagesNotVisible)
  );
}

/** Receives the next message that arrives. */
export async function takeUp(instance: TestSqsQueue): Promise<ReceivedMessage> {
  return await until(async () => {
    const { received } = await settleAndReceive(instance, { capacity: 1, visibilityMs: VISIBILITY_MS });
    return received[0];
  }, 'a message arrives');
}

/** Settles and receives nothing. */
export async function settle(instance: TestSqsQueue, ...settlements: Settlement[]): Promise<void> {
  await settleAndReceive(instance, { settlements });
}
