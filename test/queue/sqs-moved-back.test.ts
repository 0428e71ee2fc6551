import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '@aws-sdk/client-sqs';
import type { Database } from '../../src/database/database.ts';
import type { ReceivedMessage } from '../../src/queue/message-queue.ts';
import { insertSharedBody, ownPart } from '../../src/queue/shared-bodies.ts';
import { toSqsMessage } from '../../src/queue/sqs/sqs-message.ts';
import { SqsQueue } from '../../src/queue/sqs/sqs-queue.ts';
import { readUnplacedDeadLetterSizes, readUnplacedDeadLetters } from '../../src/queue/sqs/sqs-statements.ts';
import { insertWebhook } from '../../src/webhooks/configuration/webhook-store.ts';
import { deleteDeadLetteredHistoryBefore } from '../../src/webhooks/history/delivery-store.ts';
import { readDeliveries, readDeliveryDetails } from '../../src/webhooks/history/read-deliveries.ts';
import {
  type AttemptOutcome,
  type AttemptSettlement,
  recordOutcomes,
} from '../../src/webhooks/history/record-outcomes.ts';
import { RedeliveryService } from '../../src/webhooks/history/redelivery-service.ts';
import { requeueDeadLetters } from '../../src/webhooks/history/requeue-dead-letters.ts';
import { openTestDatabase } from '../support/database.ts';
import { beginTransaction, countWaiting, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/service.ts';
import { messageOf, readDeadLetters } from './queue-engine.ts';

const REQUEST = { capacity: 10, visibilityMs: 60_000 };
const ADMINISTRATOR = { type: 'COMMAND_LINE', id: null, user: null, name: null, address: null } as const;

function attempt(error: string | null): AttemptOutcome {
  const responseStatus = error === null ? 200 : 500;
  return {
    kind: 'attempt',
    succeeded: error === null,
    endedAt: Date.now(),
    durationMs: 1,
    responseStatus,
    responseBody: '',
    resent: false,
    headers: null,
    error,
  };
}

/** The copy of a dead letter that an earlier release sent, as Amazon SQS hands it out after somebody moved it back to the queue. */
function movedBack(lineId: number, messageId: string): Message {
  return {
    Attributes: { MessageGroupId: String(lineId) },
    MessageAttributes: {
      dead_lettered: { DataType: 'Number', StringValue: '1' },
      message_id: { DataType: 'String', StringValue: messageId },
    },
  };
}

/** The copy of the dead letter that waits for one, as Amazon SQS hands it out after somebody moved it back to the queue. */
async function copyOf({ reader }: Database): Promise<Message> {
  const [dead] = await readUnplacedDeadLetters(reader, await readUnplacedDeadLetterSizes(reader, 1));
  const { MessageGroupId = '', MessageAttributes } = toSqsMessage(dead!, {
    installation: 'this',
    maxBytes: 262_144,
  });
  return { Attributes: { MessageGroupId }, MessageAttributes };
}

/**
 * An engine without Amazon SQS, and a webhook whose message `m` failed twice and was dead-lettered. Its body is shared.
 * @param whileMovedBack called within the transaction that redelivers it
 */
async function openWithDeadLetter({ whileMovedBack = async () => {}, now = Date.now } = {}) {
  await using stack = new AsyncDisposableStack();
  const { database } = stack.use(await openTestDatabase());
  const queue = new SqsQueue({
    database,
    now,
    place: () => {},
    maxReceives: () => 5,
    mayDeliver: () => true,
    requeueHistory: async (tx, messages, now) => {
      await whileMovedBack();
      return await requeueDeadLetters(tx, messages, now);
    },
    waitMs: 0,
  });
  const webhook = await database.transaction((tx) =>
    insertWebhook(
      tx,
      {
        name: 'Webhook',
        topic: 'ACCOUNT',
        allSubtopics: true,
        subtopics: [],
        focus: [],
        targetUrl: 'http://target.example/',
        authentication: { type: 'NONE' },
        enabled: true,
        paused: false,
        maxAttempts: 2,
        ignoreBefore: null,
        loggingMode: 'NONE',
      },
      Date.now(),
    ),
  );
  const webhooks = { assertWritable: () => {} };
  const redelivery = new RedeliveryService({ database, lines: queue.lines, webhooks, now: Date.now });
  const settle = async (
    how: { action: 'delete' | 'dead-letter' } | { action: 'retry'; availableAt: number },
    error: string | null,
  ) => {
    const { received } = await database.transaction((tx) => queue.receive(tx, REQUEST));
    const settlement = { message: received[0]!, outcome: attempt(error), ...how };
    await database.transaction(async (tx) =>
      recordOutcomes(tx, await queue.settle<AttemptSettlement>(tx, [settlement])),
    );
  };
  await database.transaction(async (tx) => {
    const shared = { id: await insertSharedBody(tx, '"name":"m"'), own: ownPart('{', '}') };
    await queue.enqueue(tx, [{ ...messageOf(webhook, 'm', Date.now()), shared }]);
  });
  await settle({ action: 'retry', availableAt: 0 }, 'first');
  await settle({ action: 'dead-letter' }, 'second');
  const [delivery] = (
    await readDeliveries(database.reader, webhook, { filter: {}, page: { limit: 1, after: null } })
  ).items;
  const opened = stack.move();
  return {
    database,
    queue,
    webhook,
    redelivery,
    settle,
    details: () => readDeliveryDetails(database.reader, webhook, delivery!.delivery.id),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function receivedNow(database: Database, queue: SqsQueue): Promise<ReceivedMessage[]> {
  return (await database.transaction((tx) => queue.receive(tx, REQUEST))).received;
}

describe('a dead letter that someone moves back to the queue on Amazon SQS', () => {
  it('is queued in the history too, which keeps each of its attempts', async () => {
    await using test = await openWithDeadLetter();
    await test.queue.work([movedBack(test.webhook, 'm')]);
    assert.equal((await test.details()).delivery.status, 'QUEUED');
    await test.settle({ action: 'delete' }, null);
    const { delivery, attempts } = await test.details();
    assert.equal(delivery.status, 'DELIVERED');
    assert.deepEqual(
      attempts.map(({ attempt: number, error }) => [number, error]),
      [
        [1, 'first'],
        [2, 'second'],
        [3, null],
      ],
    );
  });

  it('is not added to the line again by a redelivery, nor by a second copy, while it waits', async () => {
    await using test = await openWithDeadLetter();
    const copy = movedBack(test.webhook, 'm');
    await test.queue.work([copy, copy]);
    const { delivery } = await test.details();
    await assert.rejects(
      test.redelivery.redeliver(test.webhook, delivery.id, ADMINISTRATOR),
      /already waiting/,
    );
    const all = [test.webhook, { statuses: ['DEAD_LETTERED'] }, { limit: 10, after: null }] as const;
    assert.equal((await test.redelivery.redeliverMatching(...all, ADMINISTRATOR)).redelivered, 0);
    await test.queue.work([copy]);
    assert.equal((await test.queue.lines.line(test.webhook)).depth, 1);
  });

  it('is not queued by a copy from before its message was dead-lettered again', async () => {
    let time = Date.now();
    await using test = await openWithDeadLetter({ now: () => time });
    const { queue, webhook } = test;
    const depth = async () => (await queue.lines.line(webhook)).depth;
    const earlier = await copyOf(test.database);
    await queue.work([earlier]);
    time += 1;
    await test.settle({ action: 'dead-letter' }, 'third');
    const later = await copyOf(test.database);
    await queue.work([earlier]);
    assert.equal(await depth(), 0);
    await queue.work([earlier, later]);
    assert.equal(await depth(), 1);
  });

  it('is queued by the copy that it got again while its webhook was inactive', async () => {
    let time = Date.now();
    await using test = await openWithDeadLetter({ now: () => time });
    const { database, queue, webhook } = test;
    const enable = (enabled: 0 | 1) =>
      database.transaction((tx) => tx.run('update webhooks set enabled = ? where id = ?', enabled, webhook));
    await enable(0);
    time += 1;
    await queue.work([await copyOf(database)]);
    await enable(1);
    await queue.work([await copyOf(database)]);
    assert.equal((await queue.lines.line(webhook)).depth, 1);
  });

  it('is queued with its whole body, or not at all, if it expires at the same time', {
    skip: !ON_POSTGRES && 'transactions of SQLite do not overlap',
  }, async () => {
    let cleaned: Promise<void> | null = null;
    let isCleaned = false;
    await using test = await openWithDeadLetter({
      whileMovedBack: async () => {
        const { database, queue } = test;
        cleaned = queue.lines.removeDeadLettersBefore(Date.now() + 1, 10).then(() => {
          isCleaned = true;
        });
        const isOver = async () => isCleaned || (await countWaiting(database)) > 0;
        await until(isOver, 'it has expired, or waits until it is queued');
      },
    });
    await test.database.transaction((tx) => tx.run('delete from deliveries'));
    await test.queue.work([movedBack(test.webhook, 'm')]);
    await cleaned;
    const received = await receivedNow(test.database, test.queue);
    assert.deepEqual(
      received.map(({ body }) => body),
      ['{"name":"m"}'],
    );
  });

  it('is queued without attempts that belong to no message, if its history expires at the same time', {
    skip: !ON_POSTGRES && 'transactions of SQLite do not overlap',
  }, async () => {
    await using test = await openWithDeadLetter();
    const { database, queue, webhook } = test;
    const attempts = async () => (await database.reader.all('select 1 from delivery_attempts')).length;
    assert.equal(await attempts(), 1);
    const cleaning = await beginTransaction(database);
    let moving: Promise<void>;
    try {
      await deleteDeadLetteredHistoryBefore(cleaning.tx, Date.now() + 1, 10);
      moving = queue.work([movedBack(webhook, 'm')]);
      await untilOneWaits(database);
    } finally {
      await cleaning.commit();
    }
    await moving;
    assert.deepEqual([await attempts(), (await queue.lines.line(webhook)).depth], [0, 1]);
    await test.settle({ action: 'delete' }, null);
    assert.deepEqual(await database.reader.all('select status, attempts from deliveries'), [
      { status: 'DELIVERED', attempts: 1 },
    ]);
  });

  for (const [what, change] of [
    ['inactive', 'enabled = 0'],
    ['deleted', 'deleted_at = 1'],
  ] as const)
    it(`stays a dead letter while its webhook is ${what}, and is copied again`, async () => {
      await using test = await openWithDeadLetter();
      await test.database.transaction(async (tx) => {
        await tx.run(`update webhooks set ${change} where id = ?`, test.webhook);
        await tx.run('update queue_dead_letters set copy_at = null');
      });
      await test.queue.work([movedBack(test.webhook, 'm')]);
      assert.deepEqual(
        (await readDeadLetters(test.database)).map(({ messageId }) => messageId),
        ['m'],
      );
      assert.equal((await test.details()).delivery.status, 'DEAD_LETTERED');
      assert.deepEqual(await receivedNow(test.database, test.queue), []);
      const [row] = await test.database.reader.all<{ copy_at: number | null }>(
        'select copy_at from queue_dead_letters',
      );
      assert.ok(row?.copy_at, 'its copy returns to the dead-letter queue');
    });
});

describe('a dead letter that cannot be read and that someone moves back to the queue on Amazon SQS', () => {
  it('stays a dead letter, while the one that was moved back with it is queued', async () => {
    await using test = await openWithDeadLetter();
    const { database, queue, webhook } = test;
    await database.transaction((tx) => queue.enqueue(tx, [messageOf(webhook, 'sound', Date.now())]));
    await test.settle({ action: 'dead-letter' }, 'third');
    await database.transaction((tx) =>
      tx.run("update queue_dead_letters set shared_body_id = 4711 where message_id = 'm'"),
    );
    await queue.work([movedBack(webhook, 'm'), movedBack(webhook, 'sound')]);
    const dead = await database.reader.all('select message_id from queue_dead_letters');
    assert.deepEqual(dead, [{ message_id: 'm' }]);
    const received = await receivedNow(database, queue);
    assert.deepEqual(
      received.map(({ messageId }) => messageId),
      ['sound'],
    );
  });
});

describe('a message that is twice in a line', () => {
  it('is recorded once if both are discarded together', async () => {
    await using test = await openWithDeadLetter();
    const twice = [messageOf(test.webhook, 'm', 1), messageOf(test.webhook, 'm', 1)];
    await test.database.transaction((tx) => test.queue.enqueue(tx, twice));
    const [message] = await receivedNow(test.database, test.queue);
    const at = Date.now();
    await test.database.transaction(async (tx) => {
      const outcome = { kind: 'discard', reason: 'WEBHOOK_INACTIVE', at } as const;
      const discard = { message: message!, action: 'discard', followersBefore: at, outcome } as const;
      await recordOutcomes(tx, await test.queue.settle(tx, [discard]));
    });
    const { delivery } = await test.details();
    assert.deepEqual([delivery.status, delivery.attempts], ['DISCARDED', 2]);
    assert.equal((await test.queue.lines.line(test.webhook)).depth, 0);
  });
});
