import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transaction } from '../../src/database/database.ts';
import { QueuePoll } from '../../src/delivery/queue-poll.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import type { Received, ReceivedMessage, ReceiveRequest } from '../../src/queue/message-queue.ts';
import { insertSharedBody } from '../../src/queue/shared-bodies.ts';
import { CredentialsCipher } from '../../src/secrets/credentials-cipher.ts';
import { DeliveryTargets } from '../../src/webhooks/delivery-targets.ts';
import type { DeliverySettlement } from '../../src/webhooks/history/record-outcomes.ts';
import { makeDelivery, type TestDelivery } from '../support/delivery.ts';

const NEXT = { capacity: 10, visibilityMs: 60_000 };
const ENDED_AT = 1_800_000_000_000;
const ODD_TEXT = 'NUL \0, half a pair \ud800, "quotes", a ? and äöü';

/** A queue that leaves everything to transactions. */
class TransactionsOnly extends DatabaseQueue {
  override get settleAndReceive(): null {
    return null;
  }
}

function deliveredAt(message: ReceivedMessage, endedAt: number): DeliverySettlement & { target: null } {
  return {
    message,
    target: null,
    action: 'delete',
    outcome: {
      kind: 'attempt',
      succeeded: true,
      endedAt,
      durationMs: 12.6,
      responseStatus: 204,
      responseBody: ODD_TEXT,
      resent: true,
      headers: '{"request":[]}',
      error: null,
    },
  };
}

/** A queue that counts how often a transaction receives. */
class CountedReceives extends DatabaseQueue {
  receives = 0;

  override async receive(tx: Transaction, request: ReceiveRequest): Promise<Received> {
    this.receives += 1;
    return await super.receive(tx, request);
  }
}

function pollOf({ database }: TestDelivery, queue: DatabaseQueue): QueuePoll {
  const targets = new DeliveryTargets({
    reader: database.reader,
    cipher: new CredentialsCipher(['s'.repeat(64)]),
  });
  return new QueuePoll({ database, queue, targets });
}

/** Receives the message `a` of a line. Then another worker gets the lease and settles `a`, so that `b` is left. */
async function loseLease(delivery: TestDelivery) {
  const { database } = delivery;
  const queue = new CountedReceives({ database, maxReceives: 1_000, now: Date.now });
  const webhook = await delivery.addWebhook('');
  await delivery.put(webhook, 'a');
  const { received } = await pollOf(delivery, queue).run([], NEXT);
  await database.transaction((tx) => queue.settle(tx, [{ message: received[0]!, action: 'delete' }]));
  await delivery.put(webhook, 'b');
  queue.receives = 0;
  return { queue, lost: received.map((message) => deliveredAt(message, ENDED_AT)) };
}

/** Delivers a message that shares its body, one that was in the history before, and a plain one. */
async function deliver(delivery: TestDelivery, queue: DatabaseQueue) {
  const { database } = delivery;
  const poll = pollOf(delivery, queue);
  const webhooks = [
    await delivery.addWebhook(''),
    await delivery.addWebhook(''),
    await delivery.addWebhook(''),
  ];
  await delivery.put(webhooks[0]!, 'plain');
  await delivery.put(webhooks[1]!, 'known');
  await database.transaction(async (tx) => {
    const shared = { id: await insertSharedBody(tx, '"part"'), own: '{"name":\n}' };
    const body = '{"name":"part"}';
    await queue.enqueue(tx, [
      { lineId: webhooks[2]!, messageId: 'shares', label: 'ACCOUNT_CREATED', body, shared, occurredAt: 1 },
    ]);
    await tx.run(
      `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
       values (?, 'known', 'ACCOUNT_CREATED', 'QUEUED', '{"name":"known"}', 1, 1, 4)`,
      webhooks[1]!,
    );
    await tx.run(
      `update webhook_statistics set error_count = 3, in_error = 1, failures_in_row = 2, failing_since = 5,
         last_error_at = 5, valid_from = ? where webhook_id = ?`,
      ENDED_AT + 7,
      webhooks[1]!,
    );
  });
  const { received } = await poll.run([], NEXT);
  assert.equal(received.length, webhooks.length);
  await poll.run(
    received.map((message) => deliveredAt(message, ENDED_AT)),
    NEXT,
  );
  return {
    deliveries: await database.reader.all<object>(
      `select message_id, subtopic, status, body, shared_body_id is null as is_whole, updated_at, attempts, attempted_at,
         duration_ms, response_status, response_body, error, status_reason, resent, headers
       from deliveries order by message_id`,
    ),
    statistics: await database.reader.all<object>(
      `select success_count, last_success_at, error_count, last_error_at, in_error, failures_in_row, failing_since
       from webhook_statistics order by webhook_id`,
    ),
    waiting: (await queue.lines.totals()).waiting,
  };
}

describe('messages that were delivered at their first attempt', () => {
  it('are recorded in one statement as in a transaction', async () => {
    await using usual = await makeDelivery();
    await using other = await makeDelivery();
    const queue = new TransactionsOnly({ database: other.database, maxReceives: 1_000, now: Date.now });
    const expected = await deliver(other, queue);
    assert.deepEqual(await deliver(usual, usual.queue), expected);
    assert.equal(expected.deliveries.length, 3);
    assert.equal(expected.waiting, 0);
    assert.deepEqual(
      expected.statistics.map((row) => (row as { success_count: number }).success_count),
      [1, 1, 1],
    );
  });
});

describe('a delivered message whose lease was lost', () => {
  it('costs one transaction, which also receives the head of its line', async () => {
    await using delivery = await makeDelivery();
    const { queue, lost } = await loseLease(delivery);
    const { received, nextAvailableAt } = await pollOf(delivery, queue).run(lost, NEXT);
    assert.deepEqual(
      received.map(({ messageId }) => messageId),
      ['b'],
    );
    assert.ok(nextAvailableAt! > Date.now());
    assert.equal(queue.receives, 1);
  });

  it('leaves only the rest of the capacity to its line', async () => {
    await using delivery = await makeDelivery();
    const { queue, lost } = await loseLease(delivery);
    await delivery.put(await delivery.addWebhook(''), 'another');
    const poll = pollOf(delivery, queue);
    const first = await poll.run(lost, { ...NEXT, capacity: 1 });
    assert.ok(first.nextAvailableAt! <= Date.now(), 'a message is due');
    const second = await poll.run([], NEXT);
    const names = [first, second].map(({ received }) => received.map(({ messageId }) => messageId));
    assert.deepEqual(
      names.map(({ length }) => length),
      [1, 1],
    );
    assert.deepEqual(names.flat().sort(), ['another', 'b']);
  });
});
