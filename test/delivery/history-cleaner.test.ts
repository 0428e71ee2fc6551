import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Database, SqlRow } from '../../src/database/database.ts';
import { SqliteDatabase } from '../../src/database/sqlite-database.ts';
import { createLogs } from '../../src/observability/log.ts';
import { DatabaseQueue } from '../../src/queue/database-queue.ts';
import { HistoryCleaner } from '../../src/webhooks/history-cleaner.ts';
import { insertWebhook, markDeleted } from '../../src/webhooks/webhook-store.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { createWebhook, settledDeliveries } from './webhook-parts.ts';

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 30;
const DEAD_LETTER_DAYS = 90;

const TABLES_OF_WEBHOOKS = [
  'webhooks',
  'webhook_subtopics',
  'webhook_focuses',
  'webhook_triggers',
  'webhook_statistics',
  'queue_lines',
  'deliveries',
];

interface World extends AsyncDisposable {
  database: SqliteDatabase;
  queue: DatabaseQueue;
  clock: ManualClock;
  cleaner: HistoryCleaner;
  /** Cleans through another view of the database. */
  cleanerOver(database: Database): HistoryCleaner;
  /** Writes history of a webhook: messages of these names in a state, changed so many days ago. */
  remember(webhookId: number, status: string, daysAgo: number, ...names: string[]): Promise<void>;
  /** Names of the messages that history tells of. */
  remembered(): Promise<string[]>;
  count(table: string): Promise<number>;
}

async function openWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const { database } = stack.use(await openTestDatabase());
  const clock = new ManualClock();
  const queue = new DatabaseQueue({ database, maxReceives: 1_000, now: clock.now });
  const log = createLogs({ level: 'fatal', customLevels: {}, destination: { write: () => {} } }).for(
    'WebhookService',
  );
  const cleanerOver = (over: Database) =>
    new HistoryCleaner({
      database: over,
      queue,
      log,
      historyDays: HISTORY_DAYS,
      deadLetterDays: DEAD_LETTER_DAYS,
      now: clock.now,
    });
  const cleaner = stack.use(cleanerOver(database));
  const opened = stack.move();
  return {
    database,
    queue,
    clock,
    cleaner,
    cleanerOver,
    async remember(webhookId, status, daysAgo, ...names) {
      const at = clock.now() - daysAgo * DAY_MS;
      const columns = ['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'enqueued_at', 'updated_at'];
      await database.transaction((tx) =>
        tx.insertMany(
          'deliveries',
          [...columns, 'attempts'],
          names.map((name): SqlRow => [webhookId, name, 'ACCOUNT_CREATED', status, '{}', at, at, 1]),
        ),
      );
    },
    async remembered() {
      const rows = await database.reader.all<{ message_id: string }>(
        'select message_id from deliveries order by message_id',
      );
      return rows.map((row) => row.message_id);
    },
    async count(table) {
      return (await database.reader.all(`select 1 from ${table}`)).length;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function addWebhook({ database, clock }: World): Promise<number> {
  return database.transaction((tx) =>
    insertWebhook(
      tx,
      {
        name: 'Webhook',
        topic: 'ACCOUNT',
        allSubtopics: true,
        subtopics: ['ACCOUNT_CREATED'],
        focus: [],
        targetUrl: 'http://127.0.0.1:1/',
        authentication: { type: 'NONE' },
        enabled: true,
        maxAttempts: 10,
        ignoreBefore: null,
        loggingMode: 'NONE',
      },
      clock.now(),
    ),
  );
}

describe('cleaning the history', () => {
  it('removes delivered and discarded messages that are old, with their attempts, and nothing else', async () => {
    await using world = await openWorld();
    await world.remember(1, 'DELIVERED', 31, 'old-delivered');
    await world.remember(1, 'DISCARDED', 31, 'old-discarded');
    await world.remember(1, 'DELIVERED', 29, 'young-delivered');
    await world.remember(1, 'DISCARDED', 29, 'young-discarded');
    await world.remember(1, 'RETRYING', 400, 'retried-for-long');
    await world.remember(1, 'QUEUED', 400, 'queued-again-long-ago');
    await world.remember(1, 'DEAD_LETTERED', 31, 'dead');
    await world.database.transaction((tx) =>
      tx.run(
        `insert into delivery_attempts (delivery_id, attempt, attempted_at, duration_ms)
         select id, 1, 0, 0 from deliveries`,
      ),
    );
    assert.equal(await world.cleaner.cleanOnce(), 2);
    assert.deepEqual(await world.remembered(), [
      'dead',
      'queued-again-long-ago',
      'retried-for-long',
      'young-delivered',
      'young-discarded',
    ]);
    assert.equal(await world.count('delivery_attempts'), 5);
    assert.equal(await world.cleaner.cleanOnce(), 0);
  });

  it('keeps dead letters longer, in the history and in their queue alike', async () => {
    await using world = await openWorld();
    const { database, queue, clock, cleaner } = world;
    const message = { lineId: 1, messageId: 'dead', label: 'X', body: '{}', enqueuedAt: clock.now() };
    await database.transaction((tx) => queue.enqueue(tx, [message]));
    await database.transaction((tx) => queue.actOnHead(tx, 1, 'dead-letter'));
    await world.remember(1, 'DEAD_LETTERED', 0, 'dead');

    clock.pass(DEAD_LETTER_DAYS * DAY_MS);
    assert.equal(await cleaner.cleanOnce(), 0);
    assert.deepEqual([(await queue.totals()).deadLetters, await world.count('deliveries')], [1, 1]);
    clock.pass(1);
    assert.equal(await cleaner.cleanOnce(), 2);
    assert.deepEqual([(await queue.totals()).deadLetters, await world.count('deliveries')], [0, 0]);
  });

  it('goes in steps, between which others write', async () => {
    await using world = await openWorld();
    const names = Array.from({ length: 1_700 }, (_, number) => `m${number}`);
    await world.remember(1, 'DELIVERED', 31, ...names);
    let done = false;
    const cleaning = world.cleaner.cleanOnce().then((removed) => {
      done = true;
      return removed;
    });
    const leftover = new Set<number>();
    while (!done) {
      await world.database.transaction(async (tx) => {
        leftover.add((await tx.all('select 1 from deliveries')).length);
      });
    }
    assert.equal(await cleaning, names.length);
    assert.deepEqual(
      [...leftover].sort((a, b) => b - a),
      [1_200, 700, 200, 0],
    );
  });

  it('reads nothing but what it removes, however many dead letters there are', async () => {
    await using world = await openWorld();
    const { database } = world;
    const statements = new Map<string, number>();
    const cleaner = world.cleanerOver({
      dialect: database.dialect,
      reader: database.reader,
      ping: () => database.ping(),
      transaction: (work) =>
        database.transaction((tx) =>
          work({
            dialect: tx.dialect,
            query: tx.query,
            all: (sql, ...values) => {
              statements.set(sql, values.length);
              return tx.all(sql, ...values);
            },
            run: (sql, ...values) => tx.run(sql, ...values),
            insertMany: (...given) => tx.insertMany(...given),
            onCommit: (hook) => tx.onCommit(hook),
          }),
        ),
      [Symbol.asyncDispose]: async () => {},
    });
    await cleaner.cleanOnce();
    const searches: string[] = [];
    for (const [statement, values] of statements) {
      if (!statement.startsWith('delete')) continue;
      const plan = await database.reader.all<{ detail: string }>(
        `explain query plan ${statement}`,
        ...Array.from({ length: values }, () => 1),
      );
      searches.push(...plan.map(({ detail }) => detail).filter((detail) => /\bold\b/.test(detail)));
    }
    const indexes = searches.map((search) => /^SEARCH old USING .*INDEX (\w+)/.exec(search)?.[1]);
    assert.deepEqual(indexes, ['deliveries_done_by_age', 'deliveries_dead_by_age']);
  });

  it('stops at once when it is told to', async () => {
    await using world = await openWorld();
    await world.remember(1, 'DELIVERED', 31, ...Array.from({ length: 3_000 }, (_, number) => `m${number}`));
    world.cleaner.start();
    await until(async () => (await world.count('deliveries')) < 3_000, 'it has begun');
    await world.cleaner[Symbol.asyncDispose]();
    assert.ok((await world.count('deliveries')) > 0);
  });
});

describe('a deleted webhook', () => {
  it('is forgotten with the last of its history, and not before', async () => {
    await using world = await openWorld();
    const { database, clock, cleaner } = world;
    const [kept, gone] = [await addWebhook(world), await addWebhook(world)];
    await database.transaction((tx) => markDeleted(tx, gone, clock.now()));
    await world.remember(gone, 'DELIVERED', 0, 'delivered');
    await world.remember(gone, 'DEAD_LETTERED', 0, 'dead');
    clock.pass((HISTORY_DAYS + 1) * DAY_MS);
    await cleaner.cleanOnce();
    assert.deepEqual(await world.remembered(), ['dead']);
    assert.equal(await world.count('webhooks'), 2);
    clock.pass(DEAD_LETTER_DAYS * DAY_MS);
    await cleaner.cleanOnce();
    const left = await database.reader.all<{ id: number }>('select id from webhooks');
    assert.deepEqual(
      left.map(({ id }) => id),
      [kept],
    );
    assert.equal(await world.count('webhook_statistics'), 1);
  });

  it('is not forgotten while messages of it wait', async () => {
    await using world = await openWorld();
    const { database, queue, clock, cleaner } = world;
    const id = await addWebhook(world);
    const message = { lineId: id, messageId: 'm', label: 'X', body: '{}', enqueuedAt: clock.now() };
    await database.transaction((tx) => queue.enqueue(tx, [message]));
    await database.transaction((tx) => markDeleted(tx, id, clock.now()));
    clock.pass(400 * DAY_MS);
    await cleaner.cleanOnce();
    assert.equal(await world.count('webhooks'), 1);
    await database.transaction((tx) => queue.actOnHead(tx, id, 'dead-letter'));
    await cleaner.cleanOnce();
    assert.equal(await world.count('webhooks'), 0);
  });

  it('can be looked back on until then, over the API, and leaves nothing behind after', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    let id = 0;
    {
      await using service = await startTestService({ dataDir: folder.path });
      const { api } = service;
      const account = await api.create('/accounts', { name: 'focused' });
      id = await createWebhook(api, target.url, {
        focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: account.id }],
      });
      await api.delete(`/accounts/${account.id}`);
      await settledDeliveries(api, id, 1);
      await api.delete(`/webhooks/${id}`);
      assert.equal((await api.get(`/webhooks/${id}`)).status, 404);
      assert.equal((await settledDeliveries(api, id, 1)).length, 1);
    }

    const later = Date.now() + (HISTORY_DAYS + 1) * DAY_MS;
    await using service = await startTestService({ dataDir: folder.path, now: () => later });
    await until(
      async () => (await service.api.get(`/webhooks/${id}/deliveries`)).status === 404,
      'the webhook is forgotten',
    );
    await service.stop();
    await using database = new SqliteDatabase(path.join(folder.path, 'coursewire.db'));
    for (const table of TABLES_OF_WEBHOOKS)
      assert.deepEqual(await database.reader.all(`select 1 from ${table}`), [], table);
  });
});
