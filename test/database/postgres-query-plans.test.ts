import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { withHolders } from '../../src/content/assets/holdings.ts';
import type { Database, Transaction } from '../../src/database/database.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import type { ReceivedMessage } from '../../src/queue/message-queue.ts';
import { notePlacedDeadLetters } from '../../src/queue/sqs/sqs-statements.ts';
import { CredentialsCipher } from '../../src/secrets/credentials-cipher.ts';
import { readMatchingWebhooks } from '../../src/webhooks/configuration/trigger-store.ts';
import { DeliveryTargets } from '../../src/webhooks/delivery-targets.ts';
import { nextEventIdsWithRevisions } from '../../src/webhooks/events/event-store.ts';
import {
  deleteDeadLetteredHistoryBefore,
  deleteHistoryBefore,
} from '../../src/webhooks/history/delivery-store.ts';
import { recordOutcomes } from '../../src/webhooks/history/record-outcomes.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { openPostgresParts } from '../support/postgres-helpers.ts';
import { watchStatements } from '../support/query-plans.ts';
import { settleAndReceive } from '../support/settle-and-receive.ts';

/** A step of a plan, as `explain (format json)` shows it. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: PlanNode[];
}

const NOW = 1_000_000;
const VISIBILITY_MS = 60_000;

/** Queues, receives and settles in every way that has its own statements. */
async function deliver(database: Database): Promise<void> {
  const queue = new DatabaseQueue({ database, maxReceives: 1_000, now: () => NOW });
  const lines = [1, 2, 3, 4, 5];
  const messages = lines.flatMap((lineId) =>
    [0, 1, 2].map(() => ({ lineId, messageId: randomUUID(), label: 'L', body: '{}', occurredAt: NOW })),
  );
  await database.transaction((tx) => queue.enqueue(tx, messages));
  const { received } = await settleAndReceive(
    { queue, database },
    {
      settlements: [],
      capacity: lines.length,
      visibilityMs: VISIBILITY_MS,
      record: async () => {},
    },
  );
  assert.equal(received.length, lines.length);
  const attempt = (succeeded: boolean) => ({
    kind: 'attempt' as const,
    succeeded,
    endedAt: NOW,
    durationMs: 1,
    responseStatus: succeeded ? 200 : 500,
    responseBody: null,
    resent: false,
    headers: null,
    error: succeeded ? null : 'failed',
  });
  const [one, two, three, four, five] = received.map((message) => ({ ...message, receiveCount: 2 })) as [
    ReceivedMessage,
    ReceivedMessage,
    ReceivedMessage,
    ReceivedMessage,
    ReceivedMessage,
  ];
  await settleAndReceive(
    { queue, database },
    {
      settlements: [
        { message: one, action: 'delete', outcome: attempt(true) },
        { message: two, action: 'delete', outcome: attempt(true) },
        { message: three, action: 'retry', availableAt: NOW + 1, outcome: attempt(false) },
        { message: four, action: 'dead-letter', outcome: attempt(false) },
        {
          message: five,
          action: 'discard',
          followersBefore: NOW + 1,
          outcome: { kind: 'discard', reason: 'WEBHOOK_DELETED', at: NOW },
        },
      ],
      capacity: 1,
      visibilityMs: VISIBILITY_MS,
      record: recordOutcomes,
    },
  );
}

const WAYS: Record<string, (database: Database) => Promise<unknown>> = {
  'queueing, taking up and settling': deliver,
  'matching an event': (database) =>
    database.transaction((tx) =>
      readMatchingWebhooks(tx, {
        subtopic: 'ACCOUNT_CREATED',
        accountId: 1,
        content: [{ type: 'COURSE', id: 1 }],
      }),
    ),
  'reading the targets of messages': (database) =>
    database.transaction((tx) =>
      new DeliveryTargets({ reader: tx, cipher: new CredentialsCipher(['s'.repeat(64)]) }).read([1, 2]),
    ),
  'finding what holds a course': (database) =>
    database.transaction((tx) => withHolders(tx, [{ type: 'COURSE', id: 1 }])),
  'noting dead letters as copied': (database) =>
    database.transaction((tx) => notePlacedDeadLetters(tx, [{ position: 1, placeAt: 1 }])),
  'cleaning the history': (database) =>
    database.transaction(async (tx) => {
      await tx.insertMany(
        'deliveries',
        ['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'enqueued_at', 'updated_at', 'attempts'],
        ['DELIVERED', 'DEAD_LETTERED'].map((status) => [1, status, 'X', status, '{}', 1, 1, 1]),
      );
      await deleteHistoryBefore(tx, NOW, 10);
      await deleteDeadLetteredHistoryBefore(tx, NOW, 10);
    }),
};

/** Steps that name a table but do not read it: they change the rows that their own steps find. */
const OVER_ROWS = new Set(['ModifyTable', 'Bitmap Heap Scan']);

/** At most as many rows as the statement may lease. */
const NOT_CHANGED_HERE = /^\(*NOT .*hashed SubPlan/;

/** The steps that scan a table instead of looking rows up. */
function walks(node: PlanNode, parent?: PlanNode): PlanNode[] {
  const isLookup =
    node['Relation Name'] === undefined ||
    node['Index Cond'] !== undefined ||
    OVER_ROWS.has(node['Node Type']) ||
    // The first rows of an index, without skipping any, except those that the statement itself changes.
    (parent?.['Node Type'] === 'Limit' &&
      node['Index Name'] !== undefined &&
      (node.Filter === undefined || NOT_CHANGED_HERE.test(node.Filter)));
  return [...(isLookup ? [] : [node]), ...(node.Plans ?? []).flatMap((each) => walks(each, node))];
}

describe('the statements of every event and delivery use an index on PostgreSQL', {
  skip: !ON_POSTGRES,
}, () => {
  for (const [name, work] of Object.entries(WAYS)) {
    test(name, async () => {
      await using parts = await openPostgresParts();
      const { database, statements } = watchStatements(parts.database);
      await work(database);
      assert.ok(statements.size > 0);
      await parts.database.transaction(async (tx) => {
        // PostgreSQL scans small tables because that costs less. The test needs to know whether an index could be used.
        for (const way of ['seqscan', 'hashjoin', 'mergejoin']) await tx.run(`set local enable_${way} = off`);
        for (const [statement, values] of statements) {
          const [row] = await tx.all<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
            `explain (format json) ${statement}`,
            ...values,
          );
          assert.deepEqual(walks(row!['QUERY PLAN'][0]!.Plan), [], statement);
        }
      });
    });
  }
});

const WEBHOOKS = 3_000;
/** Enough for all rows of a webhook. */
const FEW_ROWS = 20;

/** Rows that this connection has read of a table, through an index or without. Only differences mean something. */
async function rowsRead(tx: Transaction, table: string): Promise<number> {
  const [row] = await tx.all<{ count: number }>(
    'select seq_tup_read + coalesce(idx_tup_fetch, 0) as count from pg_stat_xact_user_tables where relname = ?',
    table,
  );
  return Number(row!.count);
}

describe('with many webhooks of which the server has no statistics yet', { skip: !ON_POSTGRES }, () => {
  const tables = ['webhooks', 'webhook_triggers', 'queue_lines'] as const;
  const event = { subtopic: 'ACCOUNT_CREATED', accountId: 1, content: [] };
  const works: Record<string, (tx: Transaction, queue: DatabaseQueue) => Promise<unknown>> = {
    'matching an event': (tx) => readMatchingWebhooks(tx, event),
    'drawing the id of an event': (tx) => nextEventIdsWithRevisions(tx, 1, [1, 2]),
    'locking lines': (tx, queue) => queue.lines.lockLines(tx, [1, 2]),
    'reading targets': (tx) =>
      new DeliveryTargets({ reader: tx, cipher: new CredentialsCipher(['s'.repeat(64)]) }).read([1, 2]),
  };
  for (const [name, work] of Object.entries(works)) {
    test(`${name} reads only the rows of the webhooks concerned`, async () => {
      await using parts = await openPostgresParts();
      const { database } = parts;
      await database.transaction(async (tx) => {
        await tx.run(
          `insert into webhooks (name, topic, all_subtopics, target_url, authentication_type, enabled, max_attempts,
             logging_mode, revision, created_at, updated_at)
           select 'w', 'ACCOUNT', 1, 'http://127.0.0.1/', 'NONE', 1, 1, 'ALL', 1, 0, 0 from generate_series(1, ?::int)`,
          WEBHOOKS,
        );
        await tx.run(
          `insert into webhook_triggers select 'ACCOUNT_CREATED', 'ACCOUNT', id, id, 0 from webhooks`,
        );
        await tx.run(
          'insert into queue_lines (line_id, pending, receive_count) select id, 0, 0 from webhooks',
        );
      });
      const queue = new DatabaseQueue({ database, maxReceives: 1, now: () => NOW });
      await database.transaction(async (tx) => {
        const before = new Map<string, number>();
        for (const table of tables) before.set(table, await rowsRead(tx, table));
        await work(tx, queue);
        for (const table of tables) {
          const count = (await rowsRead(tx, table)) - before.get(table)!;
          assert.ok(count <= FEW_ROWS, `${count} rows of ${table}`);
        }
      });
    });
  }
});

/** The server plans a prepared statement once for all values after so many calls. */
const CALLS_UNTIL_PLAN_IS_KEPT = 6;

describe('a delivered message of a line that has grown since the server planned', {
  skip: !ON_POSTGRES,
}, () => {
  test('is settled without reading the messages behind the next one', async () => {
    await using parts = await openPostgresParts();
    let count = 0;
    const database: Database = {
      ...watchStatements(parts.database).database,
      runAlone: (sql, ...values) =>
        parts.database.transaction(async (tx) => {
          const before = await rowsRead(tx, 'queue_messages');
          const rows = await tx.all<never>(sql, ...values);
          count = (await rowsRead(tx, 'queue_messages')) - before;
          return rows;
        }),
    };
    const queue = new DatabaseQueue({ database, maxReceives: 1, now: () => NOW });
    const message = () => ({
      lineId: 1,
      messageId: randomUUID(),
      label: 'L',
      body: '{}',
      occurredAt: NOW,
    });
    const enqueue = (length: number) =>
      database.transaction((tx) => queue.enqueue(tx, Array.from({ length }, message)));
    const options = { capacity: 1, visibilityMs: VISIBILITY_MS };
    await enqueue(CALLS_UNTIL_PLAN_IS_KEPT + 2);
    let { received } = await settleAndReceive({ queue, database }, options);
    const settle = async () => {
      const settlements = received.map((each) => ({ message: each, action: 'delete' as const }));
      ({ received } = await settleAndReceive({ queue, database }, { ...options, settlements }));
      assert.equal(received.length, 1);
    };
    for (let call = 0; call < CALLS_UNTIL_PLAN_IS_KEPT; call++) await settle();
    await enqueue(1_000);
    await settle();
    assert.ok(count > 0 && count <= FEW_ROWS, `${count} rows`);
  });
});
