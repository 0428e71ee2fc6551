import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ReceiveMessageCommand, SendMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Database, SqlValue } from '../../src/database/database.ts';
import { MIGRATIONS, migrate } from '../../src/database/migrate.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { until } from '../support/service.ts';
import { settleAndReceive } from '../support/settle-and-receive.ts';
import { messageOf } from './queue-engine.ts';
import { countOn, deliver, openBench, readQueue, settle, sorted, takeUp } from './sqs-bench.ts';
import { openTestSqsQueue } from './sqs-engine.ts';
import { createTestQueues, type SqsServer, startSqsServer, type TestQueues } from './sqs-server.ts';

/** The last migration of the release that deleted sent messages from the database. */
const BEFORE = 14;

let server: SqsServer;
aroundTests(async (parts) => {
  server = parts.use(await startSqsServer());
});

/** A database as the release before left it. */
async function openEarlier() {
  const test = await openTestDatabase({ empty: true });
  await migrate(
    test.database,
    Date.now,
    MIGRATIONS.filter(({ number }) => number <= BEFORE),
  );
  return test;
}

async function insert(database: Database, table: string, row: Record<string, SqlValue>): Promise<void> {
  await database.transaction((tx) => tx.insertMany(table, Object.keys(row), [Object.values(row)]));
}

const nameOf = (line: number, position: number) => `${line}-${position}`;

async function insertMessage(database: Database, line: number, position: number): Promise<void> {
  await insert(database, 'queue_messages', {
    id: position,
    line_id: line,
    message_id: nameOf(line, position),
    label: 'L',
    body: '{}',
    enqueued_at: position,
  });
}

async function insertLine(
  database: Database,
  line_id: number,
  row: { pending: number; available_at?: number | null; lease_token?: string; receive_count?: number },
): Promise<void> {
  const { pending, available_at = pending === 0 ? null : 1, lease_token = null, receive_count = 0 } = row;
  await insert(database, 'queue_lines', { line_id, pending, available_at, lease_token, receive_count });
}

async function insertSent(
  database: Database,
  line_id: number,
  forwarded_to: number,
  { settled_to = 0, receipt_handle = null }: { settled_to?: number; receipt_handle?: string | null } = {},
): Promise<void> {
  await insert(database, 'sqs_lines', {
    line_id,
    forwarded_to,
    settled_to,
    generation: 0,
    receives: receipt_handle === null ? 0 : 1,
    receipt_handle,
  });
}

/** A message in the history. */
async function insertPast(database: Database, line: number, position: number, status: string): Promise<void> {
  await insert(database, 'deliveries', {
    webhook_id: line,
    message_id: nameOf(line, position),
    subtopic: 'L',
    status,
    body: '{}',
    enqueued_at: position,
    updated_at: 1,
    attempts: 1,
  });
}

/** Sends messages as the release before did. */
async function sendEarlier({ client, url }: TestQueues, line: number, ...positions: number[]): Promise<void> {
  for (const position of positions) {
    const attributes = {
      message_id: ['String', nameOf(line, position)],
      position: ['Number', String(position)],
      label: ['String', 'L'],
      enqueued_at: ['Number', String(position)],
      generation: ['Number', '0'],
    };
    await client.send(
      new SendMessageCommand({
        QueueUrl: await url('messages'),
        MessageBody: `{"sent":${position}}`,
        MessageGroupId: String(line),
        MessageDeduplicationId: `${nameOf(line, position)}.${position}.0`,
        MessageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([name, [DataType, StringValue]]) => [
            name,
            { DataType, StringValue },
          ]),
        ),
      }),
    );
  }
}

/** Receives the first message of the queue and hides it for an hour, as the release before did until a retry. */
async function hideFirst({ client, url }: TestQueues): Promise<string> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl: await url('messages'), VisibilityTimeout: 3_600 }),
  );
  return Messages[0]?.ReceiptHandle ?? '';
}

describe('a database of the previous release, with messages in every state', () => {
  it('opens, and all its messages arrive in order, each once', async () => {
    await using test = await openEarlier();
    await using queues = await createTestQueues(server);
    const { database } = test;
    const hour = Date.now() + 3_600_000;
    // 3: sent; the head is in flight, and hidden.
    await sendEarlier(queues, 3, 6, 7);
    const receipt_handle = await hideFirst(queues);
    for (const position of [6, 7]) await insertMessage(database, 3, position);
    await insertLine(database, 3, { pending: 2, available_at: 1, lease_token: 'gone', receive_count: 1 });
    await insertSent(database, 3, 7, { receipt_handle });
    // 1: an instance that did not poll sent and deleted all messages.
    await sendEarlier(queues, 1, 1, 2, 3);
    await insertLine(database, 1, { pending: 0 });
    await insertSent(database, 1, 3);
    // 2: all but the last are sent and deleted; the last is not sent yet.
    await sendEarlier(queues, 2, 4, 5);
    await insertMessage(database, 2, 8);
    await insertLine(database, 2, { pending: 1 });
    await insertSent(database, 2, 5);
    // 4: its count was wrong, so no instance received its message.
    await insertMessage(database, 4, 9);
    await insertLine(database, 4, { pending: -1, available_at: null });
    await insertSent(database, 4, 0);
    // 5: settled; its copy could not be deleted.
    await sendEarlier(queues, 5, 10);
    await insertLine(database, 5, { pending: 0 });
    await insertSent(database, 5, 10, { settled_to: 10 });
    await insertPast(database, 5, 10, 'DELIVERED');
    // 6: sent, and then delivered by the database queue.
    await sendEarlier(queues, 6, 11);
    await insertLine(database, 6, { pending: 0 });
    await insertSent(database, 6, 11);
    await insertPast(database, 6, 11, 'DELIVERED');
    // 7: waits for its third attempt; the messages behind it were sent and deleted.
    await sendEarlier(queues, 7, 14);
    await insertSent(database, 7, 14);
    await insertMessage(database, 7, 12);
    await insertLine(database, 7, { pending: 1, available_at: hour, receive_count: 2 });
    await insertPast(database, 7, 12, 'RETRYING');
    // 8: dead; the copy was not sent yet.
    await insert(database, 'queue_dead_letters', {
      line_id: 8,
      message_id: nameOf(8, 13),
      label: 'L',
      body: '{}',
      enqueued_at: 13,
      dead_lettered_at: 1,
    });
    await insert(database, 'sqs_dead_letters', {
      message_id: nameOf(8, 13),
      line_id: 8,
      position: 13,
      send_at: 1,
      moved_by_sqs: 0,
    });

    assert.deepEqual(
      await migrate(database, Date.now),
      MIGRATIONS.slice(BEFORE).map(({ name }) => name),
    );
    await using instance = await openTestSqsQueue(database, queues, { quietMs: 0 });
    const came = await deliver(instance, 9);
    assert.deepEqual(sorted(came), [
      [1, ['1-1', '1-2', '1-3']],
      [2, ['2-4', '2-5', '2-8']],
      [3, ['3-6', '3-7']],
      [4, ['4-9']],
    ]);
    assert.equal(instance.obstacle(), null);
    await until(async () => (await countOn(queues, 'messages')) === 0, 'every copy is deleted');
    await settle(instance);
    for (const line of [1, 2, 3, 4, 5, 6]) assert.equal((await instance.queue.lines.line(line)).depth, 0);
    const { head } = await instance.queue.lines.line(7);
    assert.deepEqual([head?.receiveCount, head?.availableAt], [2, hour]);
    assert.equal((await instance.queue.lines.line(7)).depth, 2);
    const [copy] = await readQueue(queues, 1, { queue: 'dead letters' });
    assert.equal(copy?.MessageAttributes?.message_id?.StringValue, nameOf(8, 13));
  });

  it('queues messages that appear late behind those that are already there', async () => {
    await using test = await openEarlier();
    await using queues = await createTestQueues(server);
    const { database } = test;
    await insertLine(database, 1, { pending: 0 });
    await insertSent(database, 1, 1);
    await migrate(database, Date.now);
    await database.transaction((tx) => tx.run('update sqs_earlier_lines set is_awaited = 0'));
    await using instance = await openTestSqsQueue(database, queues, { quietMs: 0 });
    await sendEarlier(queues, 1, 1);
    assert.deepEqual(sorted(await deliver(instance, 1)), [[1, ['1-1']]]);
  });

  it('delivers nothing while messages may be missing, and everything once they appear', async () => {
    await using test = await openEarlier();
    await using bench = await openBench(server);
    const { database } = test;
    await insertMessage(database, 1, 2);
    await insertLine(database, 1, { pending: 1 });
    await insertSent(database, 1, 1);
    await sendEarlier(bench.queues, 1, 1);
    await migrate(database, Date.now);
    bench.proxy.treat = () => 'unavailable';
    const place = { ...bench.queues.place, endpoint: bench.proxy.endpoint };
    await using instance = await openTestSqsQueue(database, { place }, { quietMs: 0 });
    const { received, nextAvailableAt } = await settleAndReceive(instance, { capacity: 8 });
    // Nor is there a time for the next poll.
    assert.deepEqual([received, nextAvailableAt], [[], null]);
    bench.proxy.treat = () => 'pass';
    assert.deepEqual((await takeUp(instance)).body, '{"sent":1}');
  });

  it('is not delayed by instances that enqueue messages and do not poll', async () => {
    await using test = await openEarlier();
    await using bench = await openBench(server);
    const { database } = test;
    await insertLine(database, 1, { pending: 0 });
    await insertSent(database, 1, 1);
    await migrate(database, Date.now);
    // Copies that were sent now would stay on the queue.
    bench.proxy.treat = (action) => (action === 'ReceiveMessage' ? 'unavailable' : 'pass');
    const place = { ...bench.queues.place, endpoint: bench.proxy.endpoint };
    await using front = await openTestSqsQueue(database, { place }, { polls: false });
    await database.transaction((tx) => front.queue.enqueue(tx, [messageOf(2, 'new', Date.now())]));
    await using worker = await openTestSqsQueue(database, { place }, { quietMs: 0 });
    assert.deepEqual(sorted(await deliver(worker, 1)), [[2, ['new']]]);
  });

  it('waits for copies that the queue delays', async () => {
    await using test = await openEarlier();
    await using queues = await createTestQueues(server);
    const { database } = test;
    await queues.client.send(
      new SetQueueAttributesCommand({
        QueueUrl: await queues.url('messages'),
        Attributes: { DelaySeconds: '7' },
      }),
    );
    await insertMessage(database, 1, 6);
    await insertLine(database, 1, { pending: 1 });
    await insertSent(database, 1, 5);
    await migrate(database, Date.now);
    await sendEarlier(queues, 1, 5);
    await using instance = await openTestSqsQueue(database, queues, { quietMs: 0 });
    assert.deepEqual(sorted(await deliver(instance, 2)), [[1, ['1-5', '1-6']]]);
  });

  it('delivers nothing in the first minute, because the queue’s counts may be that old', async () => {
    await using test = await openEarlier();
    await using bench = await openBench(server);
    const { database } = test;
    await insertMessage(database, 1, 6);
    await insertLine(database, 1, { pending: 1 });
    await insertSent(database, 1, 5);
    await migrate(database, Date.now);
    let time = Date.now();
    const place = { ...bench.queues.place, endpoint: bench.proxy.endpoint };
    await using instance = await openTestSqsQueue(database, { place }, { now: () => time });
    const looks = () => bench.proxy.count('GetQueueAttributes');
    time += 59_000;
    const before = looks();
    await until(() => looks() >= before + 5, 'the queue was empty in several checks');
    assert.deepEqual((await settleAndReceive(instance, { capacity: 8 })).received, []);
    time += 1_000;
    assert.equal((await takeUp(instance)).messageId, '1-6');
  });
});
