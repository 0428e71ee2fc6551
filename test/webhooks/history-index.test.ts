import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { Page } from '../../src/database/page.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { readDeliveryPage } from '../../src/webhooks/history/delivery-page-store.ts';
import type { DeliveryStatus } from '../../src/webhooks/history/delivery-status.ts';
import { deleteHistoryBefore, upsertDeliveries } from '../../src/webhooks/history/delivery-store.ts';
import { HistoryIndex } from '../../src/webhooks/history/history-index.ts';
import { readForgottenWebhooks } from '../../src/webhooks/history/history-index-store.ts';
import { countRows } from '../support/database.ts';
import { type LogLine, recordedLogs } from '../support/logs.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/service.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Attempt {
  webhookId: number;
  message: string;
  status: DeliveryStatus;
  at: number;
}

async function record(database: Database, attempts: readonly Attempt[]): Promise<void> {
  await database.transaction((tx) =>
    upsertDeliveries(
      tx,
      attempts.map(({ webhookId, message, status, at }) => ({
        webhook_id: webhookId,
        message_id: message,
        subtopic: 'ACCOUNT_CREATED',
        status,
        body: '{}',
        shared_body_id: null,
        enqueued_at: at,
        updated_at: at,
        attempts: 1,
        attempted_at: at,
        duration_ms: 1,
        response_status: 200,
        response_body: '',
        error: null,
        status_reason: null,
        resent: 0,
        headers: null,
      })),
    ),
  );
}

const delivered = (webhookId: number, ...messages: string[]): Attempt[] =>
  messages.map((message, at) => ({ webhookId, message, status: 'DELIVERED', at }));

/** A webhook's messages, latest first, read in pages. */
async function listOf(
  { reader }: Database,
  webhookId: number,
  { statuses = null, limit = 3 }: { statuses?: readonly DeliveryStatus[] | null; limit?: number } = {},
): Promise<string[]> {
  const messages: string[] = [];
  let after: number | null = null;
  while (true) {
    const filter = statuses === null ? {} : { statuses };
    const page: Page<{ message_id: string }> = await readDeliveryPage(reader, {
      webhookId,
      filter,
      page: { limit, after },
    });
    assert.ok(page.items.length <= limit);
    messages.push(...page.items.map((row) => row.message_id));
    if (page.next === null) return messages;
    after = page.next;
  }
}

/** Runs `work` with an index and its log lines. */
async function withIndex(
  database: Database,
  work: (index: HistoryIndex, lines: readonly LogLine[]) => Promise<void>,
): Promise<void> {
  const { logs, lines } = recordedLogs();
  await using index = new HistoryIndex({ database, log: logs.for('WebhookService') });
  await work(index, lines);
}

const list = (database: Database) => withIndex(database, (index) => index.update());

describe('the list of a webhook’s deliveries, on the embedded database', {
  skip: ON_POSTGRES && 'an index of the table is that list there',
}, () => {
  it('has listed and unlisted deliveries, each once, whatever happens in between', async () => {
    const attempt = fc.record({
      webhookId: fc.integer({ min: 1, max: 3 }),
      message: fc.integer({ min: 0, max: 25 }),
      status: fc.constantFrom<DeliveryStatus>('DELIVERED', 'RETRYING', 'DEAD_LETTERED', 'DISCARDED'),
    });
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ record: fc.array(attempt, { minLength: 1, maxLength: 8 }) }) },
      { weight: 2, arbitrary: fc.constant('list' as const) },
      { weight: 1, arbitrary: fc.record({ clean: fc.integer({ min: 0, max: 20 }) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await using opened = await openSqliteFile();
        const { database } = opened;
        let now = 0;
        for (const each of steps) {
          now += 1;
          if (each === 'list') await list(database);
          else if ('clean' in each) {
            await database.transaction((tx) => deleteHistoryBefore(tx, each.clean, 5));
          } else {
            // A message belongs to one webhook.
            const attempts = each.record.map(({ webhookId, message, status }) => ({
              webhookId,
              message: `${webhookId}-${message}`,
              status,
              at: now,
            }));
            await record(database, attempts);
          }
        }
        const stored = await database.reader.all<{ webhook_id: number; message_id: string; status: string }>(
          'select webhook_id, message_id, status from deliveries order by id desc',
        );
        for (const webhookId of [1, 2, 3]) {
          for (const statuses of [
            null,
            ['DELIVERED'],
            ['DELIVERED', 'RETRYING'],
            ['DEAD_LETTERED'],
          ] as const) {
            const expected = stored
              .filter((row) => row.webhook_id === webhookId)
              .filter((row) => statuses === null || statuses.some((status) => status === row.status))
              .map((row) => row.message_id);
            assert.deepEqual(await listOf(database, webhookId, { statuses }), expected);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('continues where the previous process was killed', async () => {
    await using opened = await openSqliteFile();
    const { database } = opened;
    await record(database, delivered(1, 'a', 'b'));
    await list(database);
    await record(database, delivered(1, 'c'));
    assert.equal(await countRows(database, 'listed_deliveries'), 2);
    assert.deepEqual(await listOf(database, 1), ['c', 'b', 'a']);
    await withIndex(database, async (next) => {
      next.start();
      await until(
        async () => (await countRows(database, 'listed_deliveries')) === 3,
        'the next one lists it',
      );
    });
    assert.deepEqual(await listOf(database, 1), ['c', 'b', 'a']);
  });

  it('is updated in as many transactions as it needs, none of them long', async () => {
    await using opened = await openSqliteFile();
    const { database } = opened;
    const messages = Array.from({ length: 9_000 }, (_, n) => `m-${n}`);
    await record(database, delivered(1, ...messages));
    let transactions = 0;
    await list({
      dialect: database.dialect,
      clock: database.clock,
      onOutcome: (listener) => database.onOutcome(listener),
      reader: database.reader,
      ping: () => database.ping(),
      runAlone: (sql, ...values) => database.runAlone(sql, ...values),
      onSignal: (channel, listener) => database.onSignal(channel, listener),
      onReceivingSignals: (listener) => database.onReceivingSignals(listener),
      transaction: (work, options) => {
        transactions += 1;
        return database.transaction(work, options);
      },
      [Symbol.asyncDispose]: async () => {},
    });
    assert.equal(transactions, 5);
    assert.equal(await countRows(database, 'listed_deliveries'), messages.length);
    assert.deepEqual(await listOf(database, 1, { limit: 1_000 }), messages.toReversed());
  });

  it('can be updated twice at once without listing anything twice', async () => {
    await using opened = await openSqliteFile();
    const { database } = opened;
    await record(database, delivered(1, 'a', 'b'));
    await withIndex(database, async (index, lines) => {
      index.start();
      await Promise.all([index.update(), index.update()]);
      assert.equal(await countRows(database, 'listed_deliveries'), 2);
      assert.deepEqual(lines, []);
    });
  });

  it('loses nothing while deliveries cannot be listed, which is logged once', async () => {
    await using opened = await openSqliteFile();
    const { database } = opened;
    using other = opened.connect();
    other.exec(
      `create trigger broken before insert on listed_deliveries begin select raise(abort, 'no room'); end`,
    );
    await record(database, delivered(1, 'a', 'b'));
    await withIndex(database, async (index, lines) => {
      await assert.rejects(index.update(), /no room/);
      index.start();
      await until(() => lines.length > 0, 'it is said');
      assert.deepEqual(await listOf(database, 1), ['b', 'a']);
      other.exec('drop trigger broken');
      await until(async () => (await countRows(database, 'listed_deliveries')) === 2, 'it is tried again');
      assert.equal(lines.length, 1);
      assert.match(
        JSON.stringify(lines[0]),
        /"level":"warn".*no room.*delivery history could not be indexed/,
      );
    });
    assert.deepEqual(await listOf(database, 1), ['b', 'a']);
  });

  it('does not keep deliveries that were cleaned', async () => {
    await using opened = await openSqliteFile();
    const { database } = opened;
    await record(database, delivered(1, 'a', 'b', 'c'));
    await list(database);
    assert.equal((await database.transaction((tx) => deleteHistoryBefore(tx, 2, 10))).rows, 2);
    const rows = await database.reader.all<{ delivery_id: number }>(
      'select delivery_id from listed_deliveries',
    );
    assert.deepEqual(
      rows.map((row) => row.delivery_id),
      [3],
    );
  });

  it('keeps a deleted webhook while it has deliveries, listed or not', async () => {
    await using opened = await openSqliteFile();
    const { database } = opened;
    await database.transaction(async (tx) => {
      for (const id of [1, 2, 3])
        await tx.run(
          `insert into webhooks (id, name, topic, all_subtopics, target_url, authentication_type, enabled, max_attempts,
             logging_mode, revision, created_at, updated_at, deleted_at)
           values (?, 'W', 'ACCOUNT', 1, 'http://target.example', 'NONE', 1, 5, 'NONE', 1, 0, 0, 0)`,
          id,
        );
    });
    const forgotten = () => database.transaction((tx) => readForgottenWebhooks(tx, 1, 10));
    await record(database, delivered(1, 'a'));
    await list(database);
    await record(database, delivered(2, 'b'));
    assert.deepEqual(await forgotten(), [3]);
    await database.transaction((tx) => deleteHistoryBefore(tx, 1, 10));
    assert.deepEqual(await forgotten(), [1, 2, 3]);
  });

  it('exists for a history of an earlier release', async () => {
    await using folder = temporaryFolder();
    await using database = new SqliteDatabase(path.join(folder.path, 'test.db'));
    await migrate(database, Date.now);
    // As an earlier release left it.
    await record(database, [...delivered(1, 'a', 'b'), ...delivered(2, 'x')]);
    await database.transaction(async (tx) => {
      await tx.run('drop table listed_deliveries');
      await tx.run('drop table delivery_listing');
      await tx.run('create index deliveries_by_webhook on deliveries (webhook_id, id)');
      await tx.run('delete from migrations where number = 11');
    });
    assert.deepEqual(await migrate(database, Date.now), ['listed-deliveries']);
    assert.equal(await countRows(database, 'listed_deliveries'), 3);
    await record(database, delivered(1, 'c'));
    assert.deepEqual(await listOf(database, 1), ['c', 'b', 'a']);
    assert.deepEqual(await listOf(database, 2), ['x']);
  });
});
