import { dataFolderPaths } from '../../src/database/data-folder.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/time/units.ts';
import { countAttempt, emptyCounters } from '../../src/webhooks/trends/trend.ts';
import {
  ALL_WEBHOOKS,
  addEventCounts,
  addTrends,
  type StoredCounters,
} from '../../src/webhooks/trends/trend-store.ts';
import type { ExampleData } from './example-data.ts';

/** The age of the example, according to its charts and statistics. */
const PAST_MS = 30 * 24 * HOUR_MS;
/** When the broken target last responded. */
const BROKEN_SINCE_MS = 2 * MINUTE_MS;

/** The peak attempts per minute of each webhook, and their usual duration. */
const PACES = new Map([
  ['HR directory: accounts', { busiest: 14, durationMs: 24 }],
  ['Learning record store', { busiest: 38, durationMs: 61 }],
  ['Catalogue search index', { busiest: 7, durationMs: 12 }],
]);

/** Writes an hour of charts and a month of statistics for webhooks, so that they need not accumulate. */
export async function addPast(dataFolder: string, { webhooks }: ExampleData): Promise<void> {
  await using database = new SqliteDatabase(dataFolderPaths(dataFolder).databaseFile);
  const now = Date.now();
  const events = new Map<number, number>();
  const counters: StoredCounters[] = [];
  for (const [name, { busiest, durationMs }] of PACES) {
    const webhookId = webhooks.get(name)!;
    const isBroken = name === 'Learning record store';
    for (let ago = 1; ago < 60; ago++) {
      const startAt = Math.floor(now / MINUTE_MS - ago) * MINUTE_MS;
      if (isBroken && ago * MINUTE_MS < BROKEN_SINCE_MS) continue;
      const minute = emptyCounters();
      for (let attempt = 0; attempt < attemptsIn(ago, busiest); attempt++)
        countAttempt(minute, (attempt + ago) % 97 !== 0, durationMs * (0.6 + ((attempt * 7 + ago) % 13) / 9));
      events.set(startAt, (events.get(startAt) ?? 0) + minute.successes);
      for (const id of [webhookId, ALL_WEBHOOKS])
        counters.push({ ...minute, webhookId: id, widthMs: MINUTE_MS, startAt });
    }
  }
  await database.transaction(async (tx) => {
    await addTrends(tx, counters);
    await addEventCounts(tx, [...events]);
    for (const [name, { busiest }] of PACES)
      await tx.run(
        `update webhook_statistics set valid_from = ?, success_count = success_count + ?,
           last_success_at = coalesce(last_success_at, ?) where webhook_id = ?`,
        now - PAST_MS,
        busiest * 2_917,
        now - BROKEN_SINCE_MS,
        webhooks.get(name)!,
      );
  });
}

/** A value that rises and falls, never twice the same in a row. */
function attemptsIn(minutesAgo: number, busiest: number): number {
  const wave = 0.55 + 0.3 * Math.sin(minutesAgo / 9) + 0.15 * Math.sin(minutesAgo * 2.3);
  return Math.max(1, Math.round(busiest * wave));
}
