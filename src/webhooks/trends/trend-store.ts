import type { Reader, SqlRow, Transaction } from '../../database/database.ts';
import { HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import { type CounterWidth, LATENCY_CLASSES, type TrendCounters } from './trend.ts';

/** SQL for the counters for charts, one operation per function. */

/** Means all webhooks together. */
export const ALL_WEBHOOKS = 0;

/** Stored counters. */
export interface StoredCounters extends TrendCounters {
  /** {@link ALL_WEBHOOKS} for all together. */
  webhookId: number;
  widthMs: CounterWidth;
  /** Epoch milliseconds, a multiple of the width. */
  startAt: number;
}

const LATENCY_COLUMNS = Array.from({ length: LATENCY_CLASSES }, (_, index) => `latency_${index}`);
const SUMMED_COLUMNS = ['success_count', 'failure_count', 'latency_total', ...LATENCY_COLUMNS];
const COLUMNS = ['webhook_id', 'width_ms', 'start_at', 'latency_max', ...SUMMED_COLUMNS];

/** Adds to the stored counters. Several instances add to the same rows. */
export async function addTrends(tx: Transaction, counters: readonly StoredCounters[]): Promise<void> {
  const sums = SUMMED_COLUMNS.map((column) => `${column} = webhook_trends.${column} + excluded.${column}`);
  await tx.insertMany(
    'webhook_trends',
    COLUMNS,
    counters.map(
      (each): SqlRow => [
        each.webhookId,
        each.widthMs,
        each.startAt,
        Math.round(each.latencyMax),
        each.successes,
        each.failures,
        Math.round(each.latencyTotal),
        ...each.latencies,
      ],
    ),
    `on conflict (webhook_id, width_ms, start_at) do update set ${sums.join(', ')},
       latency_max = case when excluded.latency_max > webhook_trends.latency_max
         then excluded.latency_max else webhook_trends.latency_max end`,
  );
}

/** Adds to the numbers of events, by the minute in which they occurred. */
export async function addEventCounts(
  tx: Transaction,
  counts: readonly (readonly [startAt: number, events: number])[],
): Promise<void> {
  await tx.insertMany(
    'event_trends',
    ['start_at', 'event_count'],
    counts,
    'on conflict (start_at) do update set event_count = event_trends.event_count + excluded.event_count',
  );
}

/** A webhook's counters of a width, starting from a given time. */
export async function readTrend(
  reader: Pick<Reader, 'all'>,
  webhookId: number,
  widthMs: CounterWidth,
  since: number,
): Promise<StoredCounters[]> {
  const rows = await reader.all<Record<string, number>>(
    `select ${COLUMNS.join(', ')} from webhook_trends
     where webhook_id = ? and width_ms = ? and start_at >= ? order by start_at`,
    webhookId,
    widthMs,
    since,
  );
  return rows.map((row) => ({
    webhookId: row.webhook_id!,
    widthMs: row.width_ms as CounterWidth,
    startAt: row.start_at!,
    successes: row.success_count!,
    failures: row.failure_count!,
    latencyTotal: row.latency_total!,
    latencyMax: row.latency_max!,
    latencies: LATENCY_COLUMNS.map((column) => row[column]!),
  }));
}

/** From when until when counters count. Later ones are from before the clock was set back. */
export interface CounterTimes {
  since: number;
  until: number;
}

/** How many attempts of a webhook succeeded and failed, by its hourly counters. */
export async function countAttempts(
  reader: Pick<Reader, 'all'>,
  webhookId: number,
  { since, until }: CounterTimes,
): Promise<{ successes: number; failures: number }> {
  const [row] = await reader.all<{ successes: number | null; failures: number | null }>(
    `select sum(success_count) as successes, sum(failure_count) as failures from webhook_trends
     where webhook_id = ? and width_ms = ${HOUR_MS} and start_at >= ? and start_at <= ?`,
    webhookId,
    since,
    until,
  );
  return { successes: Number(row?.successes ?? 0), failures: Number(row?.failures ?? 0) };
}

/** Events by minute, starting from a given time. */
export async function readEventCounts(
  reader: Pick<Reader, 'all'>,
  since: number,
): Promise<{ start_at: number; event_count: number }[]> {
  return await reader.all('select start_at, event_count from event_trends where start_at >= ?', since);
}

/** Webhooks with the most failures, each with the number of all that have some. Deleted ones are omitted. */
export async function readMostFailing(
  reader: Pick<Reader, 'all'>,
  { since, until }: CounterTimes,
  limit: number,
): Promise<{ webhook_id: number; failures: number; webhooks: number }[]> {
  return await reader.all(
    `select webhook_id, sum(failure_count) as failures, count(*) over () as webhooks from webhook_trends
     where width_ms = ${MINUTE_MS} and failure_count > 0 and start_at >= ? and start_at <= ?
       and webhook_id <> ${ALL_WEBHOOKS}
       and exists (select 1 from webhooks where webhooks.id = webhook_id and webhooks.deleted_at is null)
     group by webhook_id order by 2 desc, 1 limit ?`,
    since,
    until,
    limit,
  );
}

/** Removes counters of a width from before a given time, at most `limit`, and returns how many. */
export async function deleteTrendsBefore(
  tx: Transaction,
  widthMs: CounterWidth,
  before: number,
  limit: number,
): Promise<number> {
  return await tx.run(
    `delete from webhook_trends where (webhook_id, width_ms, start_at) in (
       select old.webhook_id, old.width_ms, old.start_at from webhook_trends as old
       where old.width_ms = ? and old.start_at < ? order by old.start_at limit ?)`,
    widthMs,
    before,
    limit,
  );
}

/** Removes the numbers of events from before a given time, and returns how many. */
export async function deleteEventCountsBefore(tx: Transaction, before: number): Promise<number> {
  return await tx.run('delete from event_trends where start_at < ?', before);
}
