import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database, SqlRow } from '../../src/database/database.ts';
import { DAY_MS } from '../../src/time/units.ts';
import { historyCleaner } from '../support/cleaner.ts';
import { openDatabaseOf, openTestDatabase, runSql } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { watchStatements } from '../support/query-plans.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { createWebhook, settledDeliveries } from './webhook-helpers.ts';

const HISTORY_DAYS = 30;
const TABLES_OF_WEBHOOKS = [
  'webhooks',
  'webhook_subtopics',
  'webhook_focuses',
  'webhook_triggers',
  'webhook_statistics',
  'queue_lines',
  'deliveries',
];

/** Writes the history of this many messages that were delivered too long ago to be kept. */
async function rememberOld(database: Database, count: number): Promise<void> {
  const at = Date.now() - (HISTORY_DAYS + 1) * DAY_MS;
  const columns = ['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'enqueued_at', 'updated_at'];
  await database.transaction((tx) =>
    tx.insertMany(
      'deliveries',
      [...columns, 'attempts'],
      Array.from({ length: count }, (_, n): SqlRow => [1, `m${n}`, 'X', 'DELIVERED', '{}', at, at, 1]),
    ),
  );
}

async function countOf({ reader }: Pick<Database, 'reader'>): Promise<number> {
  return (await reader.all('select 1 from deliveries')).length;
}

const ON_SQLITE = { skip: ON_POSTGRES };

describe('cleaning the history', () => {
  it('lets others write between its steps', async () => {
    await using test = await openTestDatabase();
    await using cleaner = historyCleaner(test.database);
    await rememberOld(test.database, 1_700);
    let done = false;
    const cleaning = cleaner.cleanOnce().then((removed) => {
      done = true;
      return removed;
    });
    const seen = new Set<number>();
    while (!done) {
      await test.database.transaction(async (tx) => {
        seen.add((await tx.all('select 1 from deliveries')).length);
      });
    }
    assert.equal(await cleaning, 1_700);
    const between = [1_200, 700, 200];
    assert.ok(
      [...seen].every((count) => [1_700, ...between, 0].includes(count)),
      `${[...seen]}`,
    );
    assert.ok(
      [...seen].some((count) => between.includes(count)),
      `${[...seen]}`,
    );
  });

  // PostgreSQL's plans: test/database/postgres-query-plans.test.ts
  it('reads only what it removes, however much is kept longer or still waits', ON_SQLITE, async () => {
    await using test = await openTestDatabase();
    const { database, plans } = watchStatements(test.database);
    await using cleaner = historyCleaner(database);
    await rememberOld(test.database, 1);
    await cleaner.cleanOnce();
    const steps = await plans();
    const walked = steps.filter(({ step }) => /^SCAN (deliveries|delivery_attempts|old)/.test(step));
    assert.deepEqual(walked, []);
    const indexes = steps
      .map(({ step }) => /^SEARCH old USING .*INDEX (deliveries_\w+)/.exec(step)?.[1])
      .filter((index) => index !== undefined);
    assert.deepEqual(indexes, ['deliveries_done_by_age', 'deliveries_dead_by_age']);
  });

  it('stops immediately in the middle of a round', async () => {
    await using test = await openTestDatabase();
    await using cleaner = historyCleaner(test.database);
    await rememberOld(test.database, 3_000);
    cleaner.start();
    await until(async () => (await countOf(test.database)) < 3_000, 'it has begun');
    await cleaner[Symbol.asyncDispose]();
    assert.ok((await countOf(test.database)) > 0);
  });
});

describe('a deleted webhook', () => {
  it('has a readable history as long as that is kept, and leaves nothing behind after', async () => {
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
    // As if the former service had been running until then. Otherwise, the service would not trust the clock.
    const lastRound = 'update task_leases set leased_until = ? returning task';
    await runSql(folder.path, lastRound, later - 60_000);
    await using service = await startTestService({ dataDir: folder.path, now: () => later });
    await until(
      async () => (await service.api.get(`/webhooks/${id}/deliveries`)).status === 404,
      'the webhook is forgotten',
    );
    await service.stop();
    await using database = await openDatabaseOf(folder.path);
    for (const table of TABLES_OF_WEBHOOKS)
      assert.deepEqual(await database.reader.all(`select 1 from ${table}`), [], table);
  });
});
