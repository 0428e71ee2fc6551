import { describe, test } from 'node:test';
import type { Transaction } from '../../src/database/database.ts';
import {
  countMessages,
  readFirstMessages,
  readFirstSizes,
  readHeads,
  readLastPosition,
} from '../../src/queue/lines/message-statements.ts';
import { settleAndReceiveInOneStatement } from '../../src/queue/lines/settle-and-receive-statement.ts';
import { readUnplaced } from '../../src/queue/sqs/sqs-statements.ts';
import { listDeadLetters } from '../../src/ui-api/webhooks/dead-letter-list.ts';
import { readLastFailed } from '../../src/webhooks/health/health-store.ts';
import { readFirstDeadLetters, readFirstWaiting } from '../../src/webhooks/health/webhook-trouble-store.ts';
import { countByStatus } from '../../src/webhooks/history/by-status.ts';
import { RECORD_DELIVERED } from '../../src/webhooks/history/delivered-at-once.ts';
import { MAX_EXAMINED } from '../../src/webhooks/history/delivery-filter.ts';
import { readDeliveryPage } from '../../src/webhooks/history/delivery-page-store.ts';
import {
  countDeadLettersFrom,
  readWebhooksWithDeadLetters,
} from '../../src/webhooks/history/delivery-store.ts';
import { readForgottenWebhooks } from '../../src/webhooks/history/history-index-store.ts';
import { readRedeliverable } from '../../src/webhooks/history/redeliverable-store.ts';
import { aroundTests } from '../support/around-tests.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { openPostgresParts, type PostgresParts } from '../support/postgres-helpers.ts';
import { assertReadsFewRows } from '../support/rows-read.ts';

// Needs a process of its own: another test would get this database, with its statistics.

/**
 * One webhook has nearly all messages and deliveries, and the server's statistics say so. An index of another column than the
 * webhook then looks cheapest to it, but passes over all rows of that webhook to find one of another.
 */

const BUSY = 1;
/** The rows of one quiet webhook are before those of the busy webhook, the rows of the other one after them. */
const EARLY = 2;
const LATE = 3;
/** Nearly all of its deliveries are delivered. */
const RELIABLE = 4;
/** It was deleted and has no rows. */
const FORGOTTEN = 5;
const WEBHOOKS = 5;
/** Enough that the server distinguishes the costs of its plans. */
const ROWS = 20_000;
const QUIET_ROWS = 4;
const NOW = 1_000_000;
const ALL = { after: 0, through: Number.MAX_SAFE_INTEGER };
const PAGE = { limit: 20, after: null };
const DEAD = { search: null, webhookId: null, deliveries: {}, after: null };
const NEWEST = { sort: 'dead_lettered', direction: 'desc', limit: 20, offset: 0 } as const;
const STATUSES = ['DEAD_LETTERED', 'DISCARDED'] as const;

/** Fills a new database. */
async function fill({ database }: PostgresParts): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(
      `insert into webhooks (name, topic, all_subtopics, target_url, authentication_type, enabled, max_attempts,
         logging_mode, revision, created_at, updated_at)
       select 'name ' || n, 'ACCOUNT', 1, 'http://127.0.0.1/', 'NONE', 1, 1, 'ALL', 1, 0, 0 from generate_series(1, ?::int) as n`,
      WEBHOOKS,
    );
    await tx.run(
      'insert into webhook_statistics (webhook_id, valid_from, success_count, error_count, in_error) select id, 0, 0, 0, 0 from webhooks',
    );
    await tx.run(
      `insert into queue_lines (line_id, pending, available_at, receive_count)
       select id, case when id = ${BUSY} then ${ROWS} else ${QUIET_ROWS} end, 1, 0 from webhooks`,
    );
    await tx.run('update webhooks set deleted_at = 1 where id = ?', FORGOTTEN);
    const end = 2 * ROWS;
    await insertMessages(tx, BUSY, { from: QUIET_ROWS + 1, to: ROWS });
    await insertDeliveries(tx, BUSY, { from: QUIET_ROWS + 1, to: ROWS });
    // A sample of a million rows contains none of the quiet webhooks. The other webhook was created after it was taken.
    for (const table of ['queue_messages', 'queue_lines', 'webhooks', 'deliveries'])
      await tx.run(`analyze ${table}`);
    await insertDeliveries(tx, RELIABLE, { from: ROWS + 1, to: end, status: 'DELIVERED' });
    for (const [webhook, from] of [
      [EARLY, 1],
      [LATE, end + 1],
      [RELIABLE, end + QUIET_ROWS + 1],
    ] as const) {
      await insertMessages(tx, webhook, { from, to: from + QUIET_ROWS - 1 });
      await insertDeliveries(tx, webhook, { from, to: from + QUIET_ROWS - 1 });
    }
  });
}

async function insertMessages(
  tx: Transaction,
  webhookId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await tx.run(
    `insert into queue_messages (id, line_id, message_id, label, stored_body, enqueued_at)
     select n, ?, 'message ' || n, 'L', '{}', 1 from generate_series(?::int, ?::int) as n`,
    ...[webhookId, from, to],
  );
}

/** @param part `status` is that of all; omitted: each status in turn */
async function insertDeliveries(
  tx: Transaction,
  webhookId: number,
  { from, to, status = null }: { from: number; to: number; status?: string | null },
): Promise<void> {
  await tx.run(
    `insert into deliveries
       (id, webhook_id, message_id, subtopic, status, status_reason, body, enqueued_at, updated_at, attempts, attempted_at)
     select n, ?, 'delivery ' || n, 'X',
       coalesce(?, (array['DELIVERED', 'DEAD_LETTERED', 'DISCARDED', 'RETRYING'])[n % 4 + 1]),
       case when n % 4 = 1 then 'ATTEMPTS_EXHAUSTED' end, '{}', n, n, 1, n
     from generate_series(?::int, ?::int) as n`,
    ...[webhookId, status, from, to],
  );
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
  'reading the first dead letters': (tx) => readFirstDeadLetters(tx, 0, { afterId: BUSY, limit: WEBHOOKS }),
  'reading webhooks with dead letters': (tx) =>
    readWebhooksWithDeadLetters(tx, { from: BUSY + 1, until: NOW, activeOnly: true, limit: WEBHOOKS }),
  'counting the dead letters of a webhook up to a time': (tx, webhookId) =>
    countByStatus(tx, {
      webhookId,
      statuses: ['DEAD_LETTERED'],
      bounds: [['>', 1]],
      filter: { updatedUntil: NOW },
      limit: 10,
    }),
  'counting the dead letters of later webhooks': (tx) =>
    countDeadLettersFrom(tx, { from: BUSY + 1, until: NOW, activeOnly: true, bound: 10 }),
  'counting what may be redelivered': (tx, webhookId) =>
    countByStatus(tx, { webhookId, statuses: STATUSES, bounds: [['>', 1]], limit: 10 }),
  'reading what to redeliver': (tx, webhookId) =>
    readRedeliverable(tx, { webhookId, filter: { statuses: STATUSES }, page: PAGE }),
  'reading what to redeliver by event': (tx, webhookId) =>
    readRedeliverable(tx, { webhookId, filter: { statuses: STATUSES, subtopics: ['X'] }, page: PAGE }),
  'listing dead letters': (tx, webhookId) => listDeadLetters(tx, { ...DEAD, webhookId }, NEWEST),
  'listing dead letters by event': (tx, webhookId) =>
    listDeadLetters(tx, { ...DEAD, webhookId, deliveries: { subtopics: ['X'] } }, NEWEST),
  'listing older dead letters': (tx, webhookId) =>
    listDeadLetters(tx, { ...DEAD, webhookId, after: { updatedAt: NOW, id: 1 } }, NEWEST),
  'searching dead letters by the name of the webhook': (tx, webhookId) =>
    listDeadLetters(tx, { ...DEAD, search: `name ${webhookId}` }, NEWEST),
  'searching dead letters by the name of the webhook and by event': (tx, webhookId) =>
    listDeadLetters(tx, { ...DEAD, search: `name ${webhookId}`, deliveries: { subtopics: ['X'] } }, NEWEST),
  'looking for deleted webhooks without a history': (tx) => readForgottenWebhooks(tx, NOW, 10),
  'reading the last failed delivery': (tx, webhookId) => readLastFailed(tx, webhookId),
  'reading the history': (tx, webhookId) => readDeliveryPage(tx, { webhookId, filter: {}, page: PAGE }),
  'reading the history by status': (tx, webhookId) =>
    readDeliveryPage(tx, { webhookId, filter: { statuses: STATUSES }, page: PAGE }),
  'reading the history by event': (tx, webhookId) =>
    readDeliveryPage(tx, { webhookId, filter: { subtopics: ['X'] }, page: PAGE }),
  'reading the history by status and event': (tx, webhookId) =>
    readDeliveryPage(tx, { webhookId, filter: { statuses: STATUSES, subtopics: ['X'] }, page: PAGE }),
};

/** Examines as many deliveries of a webhook as one request may. */
const EXAMINING = [READS['reading the history by event']];

describe('PostgreSQL does not scan the thousands of messages of another webhook', {
  skip: !ON_POSTGRES,
}, () => {
  let opened: PostgresParts;
  aroundTests(async (parts) => {
    opened = parts.use(await openPostgresParts());
    await fill(opened);
  });

  const cases = Object.entries(READS).flatMap(([name, read]) => [
    { name: `${name} before these`, read, webhookId: EARLY },
    { name: `${name} behind these`, read, webhookId: LATE },
    { name: `${name} of a webhook that delivers nearly all`, read, webhookId: RELIABLE },
  ]);
  for (const { name, read, webhookId } of cases) {
    const examined = EXAMINING.includes(read) && webhookId === RELIABLE ? MAX_EXAMINED : 0;
    test(`when ${name}`, () => assertReadsFewRows(opened.database, (tx) => read(tx, webhookId), examined));
  }
});
