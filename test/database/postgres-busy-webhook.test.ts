import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database, Transaction } from '../../src/database/database.ts';
import {
  countMessages,
  readFirstMessages,
  readFirstSizes,
  readHeads,
  readLastPosition,
} from '../../src/queue/lines/message-statements.ts';
import { settleAndReceiveInOneStatement } from '../../src/queue/lines/settle-and-receive-statement.ts';
import { readUnplaced } from '../../src/queue/sqs/sqs-statements.ts';
import { readLastFailed } from '../../src/webhooks/health/health-store.ts';
import { readFirstWaiting } from '../../src/webhooks/health/trouble-store.ts';
import { RECORD_DELIVERED } from '../../src/webhooks/history/delivered-at-once.ts';
import { readDeliveryPage } from '../../src/webhooks/history/delivery-page-store.ts';
import { aroundTests } from '../support/around-tests.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { openPostgresParts, type PostgresParts } from '../support/postgres-helpers.ts';

// Needs a process of its own: another test would get this database, with its statistics.

/**
 * One webhook has nearly all messages and deliveries, and the server's statistics say so. An index of another column than the
 * webhook then looks cheapest to it, but passes over all rows of that webhook to find one of another.
 */

const BUSY = 1;
/** One has its messages and deliveries before those of the busy webhook, the other behind them. */
const EARLY = 2;
const LATE = 3;
const WEBHOOKS = 3;
/** Enough that the server distinguishes the costs of its plans. */
const ROWS = 20_000;
/** What one read of the quiet webhook needs at most. */
const FEW_ROWS = 100;
/** From the sixth time on, the server uses a plan that does not depend on the values. */
const TIMES = 7;
const NOW = 1_000_000;
const ALL = { after: 0, through: Number.MAX_SAFE_INTEGER };
const PAGE = { limit: 20, after: null };
const STATUSES = ['DEAD_LETTERED', 'DISCARDED'] as const;

/** Fills a new database. */
async function fill({ database }: PostgresParts): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(
      `insert into webhooks (name, topic, all_subtopics, target_url, authentication_type, enabled, max_attempts,
         logging_mode, revision, created_at, updated_at)
       select 'w', 'ACCOUNT', 1, 'http://127.0.0.1/', 'NONE', 1, 1, 'ALL', 1, 0, 0 from generate_series(1, ?::int)`,
      WEBHOOKS,
    );
    await tx.run(
      'insert into webhook_statistics (webhook_id, valid_from, success_count, error_count, in_error) select id, 0, 0, 0, 0 from webhooks',
    );
    const messages = `insert into queue_messages (line_id, message_id, label, stored_body, enqueued_at)
      select given.id, 'message ' || given.id || ' ' || n, 'L', '{}', 1 from`;
    const deliveries = `insert into deliveries
        (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts, attempted_at)
      select given.id, 'delivery ' || given.id || ' ' || n, 'X',
        (array['DELIVERED', 'DEAD_LETTERED', 'DISCARDED', 'RETRYING'])[n % 4 + 1], '{}', 1, 1, 1, 1 from`;
    for (const [webhook, rows] of [
      [EARLY, 4],
      [BUSY, ROWS],
    ]) {
      await tx.run(
        `${messages} (select ${webhook} as id) as given cross join generate_series(1, ${rows}) as n`,
      );
      await tx.run(
        `${deliveries} (select ${webhook} as id) as given cross join generate_series(1, ${rows}) as n`,
      );
    }
    await tx.run(
      `insert into queue_lines (line_id, pending, available_at, receive_count)
       select id, case when id = ${BUSY} then ${ROWS} else 4 end, 1, 0 from webhooks`,
    );
    // A sample of a million rows contains none of the quiet webhooks.
    for (const table of ['queue_messages', 'queue_lines', 'webhooks', 'deliveries'])
      await tx.run(`analyze ${table}`);
    for (const sql of [messages, deliveries])
      await tx.run(`${sql} (select ${LATE} as id) as given cross join generate_series(1, 4) as n`);
  });
}

/** Rows that this transaction has read through an index or without. Only differences mean something. */
async function rowsRead(tx: Transaction): Promise<Map<string, number>> {
  const rows = await tx.all<{ relname: string; count: number }>(
    `select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as count from pg_stat_xact_user_tables
     where relname in ('queue_messages', 'deliveries')`,
  );
  return new Map(rows.map(({ relname, count }) => [relname, Number(count)]));
}

const READS: Record<string, (tx: Transaction, webhookId: number) => Promise<unknown>> = {
  'receiving the heads of lines': (tx) =>
    settleAndReceiveInOneStatement(
      { runAlone: (sql, ...values) => tx.all(sql, ...values) },
      {
        messages: [],
        steps: RECORD_DELIVERED,
        rows: [],
        now: NOW,
        lease: { leaseToken: 'token', leasedUntil: 1 },
        capacity: WEBHOOKS,
      },
    ),
  'reading heads': (tx, webhookId) => readHeads(tx, [webhookId]),
  'reading the first messages': (tx, webhookId) => readFirstMessages(tx, webhookId, 10),
  'reading the sizes of the first messages': (tx, webhookId) => readFirstSizes(tx, webhookId, 10),
  'reading the last position': (tx, webhookId) => readLastPosition(tx, webhookId),
  'counting messages': (tx, webhookId) => countMessages(tx, webhookId, { ...ALL, before: NOW, bound: 10 }),
  'reading messages without copies': (tx, webhookId) =>
    readUnplaced(tx, [webhookId], { isBounded: true, now: NOW }),
  'reading since when webhooks wait': (tx) => readFirstWaiting(tx, { afterId: BUSY, limit: WEBHOOKS }),
  'reading the last failed delivery': (tx, webhookId) => readLastFailed(tx, webhookId),
  'reading the history': (tx, webhookId) => readDeliveryPage(tx, { webhookId, filter: {}, page: PAGE }),
  'reading the history by status': (tx, webhookId) =>
    readDeliveryPage(tx, { webhookId, filter: { statuses: STATUSES }, page: PAGE }),
  'reading the history by event': (tx, webhookId) =>
    readDeliveryPage(tx, { webhookId, filter: { subtopics: ['X'] }, page: PAGE }),
  'reading the history by status and event': (tx, webhookId) =>
    readDeliveryPage(tx, { webhookId, filter: { statuses: STATUSES, subtopics: ['X'] }, page: PAGE }),
};

describe('beside a webhook with thousands of messages, PostgreSQL does not pass over these', {
  skip: !ON_POSTGRES,
}, () => {
  let database: Database;
  aroundTests(async (parts) => {
    const opened = parts.use(await openPostgresParts());
    await fill(opened);
    database = opened.database;
  });

  const cases = Object.entries(READS).flatMap(([name, read]) => [
    { name: `${name} before these`, read, webhookId: EARLY },
    { name: `${name} behind these`, read, webhookId: LATE },
  ]);
  for (const { name, read, webhookId } of cases) {
    test(`when ${name}`, async () => {
      await database.transaction(async (tx) => {
        for (let time = 1; time <= TIMES; time++) {
          const earlier = await rowsRead(tx);
          await read(tx, webhookId);
          for (const [table, rows] of await rowsRead(tx)) {
            const count = rows - (earlier.get(table) ?? 0);
            assert.ok(count <= FEW_ROWS, `${count} rows of ${table} at time ${time}`);
          }
        }
      });
    });
  }
});
