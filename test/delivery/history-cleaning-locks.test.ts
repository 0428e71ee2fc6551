import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import type { ProblemError } from '../../src/problems/problem.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { insertSharedBody, ownPart } from '../../src/queue/shared-bodies.ts';
import {
  deleteDeadLetteredHistoryBefore,
  deleteHistoryBefore,
  markQueued,
} from '../../src/webhooks/history/delivery-store.ts';
import { RedeliveryService } from '../../src/webhooks/history/redelivery-service.ts';
import { openTestDatabase } from '../support/database.ts';
import { beginTransaction, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';

const OLD = 1;
const BEFORE = 2;
const NOW = 3;

describe('cleaning the history while old messages are redelivered', {
  skip: !ON_POSTGRES && 'on SQLite, transactions run one after another',
}, () => {
  for (const [status, clean] of [
    ['DISCARDED', deleteHistoryBefore],
    ['DEAD_LETTERED', deleteDeadLetteredHistoryBefore],
  ] as const)
    it(`keeps the history of a message that was ${status} and now waits again`, async () => {
      await using test = await openTestDatabase();
      const { database } = test;
      await database.transaction((tx) =>
        tx.insertMany(
          'deliveries',
          ['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'enqueued_at', 'updated_at', 'attempts'],
          ['again', 'gone'].map((id) => [1, id, 'X', status, '{}', OLD, OLD, 1]),
        ),
      );
      const [again] = await database.reader.all<{ id: number }>(
        `select id from deliveries where message_id = 'again'`,
      );
      const redelivery = await beginTransaction(database);
      await markQueued(redelivery.tx, [again!.id], NOW);
      const cleaning = database.transaction((tx) => clean(tx, BEFORE, 10));
      await untilOneWaits(database);
      await redelivery.commit();
      assert.equal((await cleaning).rows, 1);
      assert.deepEqual(await database.reader.all('select message_id, status from deliveries'), [
        { message_id: 'again', status: 'QUEUED' },
      ]);
    });
});

describe('redelivering messages while their history expires', {
  skip: !ON_POSTGRES && 'on SQLite, transactions run one after another',
}, () => {
  /** Redelivers while a cleaning has removed the delivery `gone` of webhook 1, but not committed that. */
  async function whileGoneExpires<T>(
    redeliver: (service: RedeliveryService, ids: { gone: number; kept: number }) => Promise<T>,
  ): Promise<{ result: PromiseSettledResult<T>; attempts: number; waiting: number }> {
    await using test = await openTestDatabase();
    const { database } = test;
    const lines = new DatabaseQueue({ database, maxReceives: 1_000, now: Date.now });
    await database.transaction(async (tx) => {
      await tx.run(`insert into webhooks (id, name, topic, all_subtopics, target_url, authentication_type, enabled, max_attempts,
                logging_mode, revision, created_at, updated_at)
              values (1, 'W', 'ACCOUNT', 1, 'http://127.0.0.1:9/', 'NONE', 1, 1, 'NONE', 1, 0, 0)`);
      await tx.run(`insert into webhook_statistics (webhook_id, valid_from, success_count, error_count, in_error)
                    values (1, 0, 0, 0, 0)`);
    });
    const [gone, kept] = await database.transaction(async (tx) => {
      const ids = [];
      for (const [id, updatedAt] of [
        ['gone', OLD],
        ['kept', NOW],
      ] as const) {
        const shared = await insertSharedBody(tx, '1');
        const [row] = await tx.all<{ id: number }>(
          `insert into deliveries (webhook_id, message_id, subtopic, status, body, shared_body_id, enqueued_at,
             updated_at, attempts, attempted_at, duration_ms)
           values (1, ?, 'X', 'DISCARDED', ?, ?, 1, ?, 1, 1, 1) returning id`,
          id,
          ownPart('[', ']'),
          shared,
          updatedAt,
        );
        ids.push(row!.id);
      }
      return ids;
    });
    const service = new RedeliveryService({
      database,
      lines,
      webhooks: { assertWritable: () => {} },
      now: Date.now,
    });
    const cleaning = await beginTransaction(database);
    let redelivery: Promise<[PromiseSettledResult<T>]>;
    try {
      await deleteHistoryBefore(cleaning.tx, BEFORE, 10);
      redelivery = Promise.allSettled([redeliver(service, { gone: gone!, kept: kept! })]);
      await untilOneWaits(database);
    } finally {
      await cleaning.commit();
    }
    const [result] = await redelivery;
    const attempts = await database.reader.all(
      'select 1 from delivery_attempts where delivery_id = ?',
      gone!,
    );
    return { result, attempts: attempts.length, waiting: (await lines.line(1)).depth };
  }

  it('responds that the message does not exist', async () => {
    const { result, attempts, waiting } = await whileGoneExpires((service, { gone }) =>
      service.redeliver(1, gone, COMMAND_LINE),
    );
    assert.equal(result.status, 'rejected');
    assert.equal((result.reason as ProblemError).code, 'not-found', String(result.reason));
    assert.deepEqual([attempts, waiting], [0, 0]);
  });

  it('redelivers the other messages', async () => {
    const { result, attempts, waiting } = await whileGoneExpires((service, { gone, kept }) =>
      service.redeliverThese(1, { ids: [gone, kept], statuses: ['DISCARDED'] }, COMMAND_LINE),
    );
    assert.deepEqual(result, { status: 'fulfilled', value: { redelivered: 1, remaining: 0, next: null } });
    assert.deepEqual([attempts, waiting], [0, 1]);
  });
});
