import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../src/database/database.ts';
import type { LineReader } from '../../src/queue/message-queue.ts';
import { EventService } from '../../src/webhooks/events/event-service.ts';
import { formatReferences } from '../../src/webhooks/events/stored-event.ts';
import { createAccounts } from '../delivery/webhook-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf } from '../support/database.ts';
import { seedMany } from '../support/many-rows.ts';
import { startTestService } from '../support/service.ts';
import { watchedDatabase } from '../support/watched-database.ts';

const WEBHOOKS = 1_000;
const FOCUSED_ASSETS = 500;
/** How many pairs of a webhook and an asset one statement may look up. */
const MAX_LOOKS = 10_000;
/** Got a message at once, or by a replay. One was deleted since, and one was removed with its history. */
const MATCHED = [3, 5, 700, WEBHOOKS + 1];
const DELETED = 5;
const REPLAYED = [4, 900];
const RECIPIENTS = [3, 4, 5, 700, 900];

/** A read of webhooks. */
interface Asked {
  sql: string;
  rows: number;
  /** How many times the event loop had turned before. */
  turn: number;
}

/** Nothing waits. */
const EMPTY_LINES = {
  line: async () => ({ head: null }),
  waitingAgain: async () => new Set<string>(),
} as unknown as LineReader;

describe('the outcome of an event for very many webhooks', () => {
  let database: Database;
  let eventId: number;

  aroundTests(async (parts) => {
    const service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
    database = parts.use(await openDatabaseOf(service.settings.data_dir));
    await seedMany(database, WEBHOOKS);
    await createAccounts(service.api, 'Northwind');
    const focused = Array.from({ length: FOCUSED_ASSETS }, (_, n) => ({
      type: 'COURSE' as const,
      id: n + 1,
    }));
    await database.transaction(async (tx) => {
      await tx.run(
        'update events set focused = ?, matched = ?, replayed = ?',
        formatReferences(focused),
        MATCHED.join(','),
        REPLAYED.join(','),
      );
      await tx.run('update webhooks set deleted_at = 1 where id = ?', DELETED);
    });
    const [event] = await database.reader.all<{ id: number }>('select max(id) as id from events');
    eventId = event!.id;
  });

  /** Reads all pages, and returns the ids of the webhooks and the reads of webhooks. */
  async function listed(got: boolean | null, limit: number): Promise<{ ids: number[]; asked: Asked[] }> {
    const asked: Asked[] = [];
    let turn = 0;
    let turning = setImmediate(function turned() {
      turn += 1;
      turning = setImmediate(turned);
    });
    const watched = watchedDatabase(database, ({ member, given: [sql], result }) => {
      if (member === 'all' && String(sql).includes('from webhooks'))
        asked.push({ sql: String(sql), rows: (result as unknown[]).length, turn });
    });
    const events = new EventService({ database: watched, lines: EMPTY_LINES, log: { error: assert.fail } });
    const ids: number[] = [];
    try {
      for (let after: number | null = null; ; ) {
        const { items, next } = await events.webhooksOf(eventId, { got, webhookId: null }, { limit, after });
        ids.push(...items.map(({ id }) => id));
        if (next === null) return { ids, asked };
        after = next;
        // The next page is another request.
        await nextTurn();
      }
    } finally {
      clearImmediate(turning);
    }
  }

  test('reads no webhooks but those that got a message, if only these are requested, page by page', async () => {
    const { ids, asked } = await listed(true, 2);
    assert.deepEqual(ids, RECIPIENTS);
    assert.ok(asked.length > 0);
    assert.doesNotMatch(asked.map(({ sql }) => sql).join('; '), /webhook_focuses/);
    const rows = asked.reduce((sum, each) => sum + each.rows, 0);
    assert.ok(rows <= 2 * RECIPIENTS.length, `${rows} rows of webhooks`);
  });

  test('reads few webhooks at a time, if each is matched with many assets, and other work runs in between', async () => {
    const { ids, asked } = await listed(false, 200);
    assert.deepEqual(
      ids,
      Array.from({ length: WEBHOOKS }, (_, n) => n + 1).filter((id) => !RECIPIENTS.includes(id)),
    );
    for (const [at, { rows, turn }] of asked.entries()) {
      assert.ok(rows * FOCUSED_ASSETS <= MAX_LOOKS, `${rows} webhooks at once`);
      assert.notEqual(turn, asked[at - 1]?.turn, 'one read in a turn of the event loop');
    }
  });

  test('lists all webhooks that exist, and deleted ones if they got a message', async () => {
    const { ids } = await listed(null, 200);
    assert.deepEqual(
      ids,
      Array.from({ length: WEBHOOKS }, (_, n) => n + 1),
    );
  });
});
