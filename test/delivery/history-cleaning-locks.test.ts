import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  deleteDeadLetteredHistoryBefore,
  deleteHistoryBefore,
  markQueued,
} from '../../src/webhooks/history/delivery-store.ts';
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
