import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { oneAtATime } from '../../one-at-a-time.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import { addCounters, countAttempt, emptyCounters, KEPT_MS, type TrendCounters } from './trend.ts';
import {
  ALL_WEBHOOKS,
  addEventCounts,
  addTrends,
  deleteEventCountsBefore,
  deleteTrendsBefore,
  type StoredCounters,
} from './trend-store.ts';

/** A crash can lose this much of the charts. */
const WRITE_INTERVAL_MS = 5_000;
/** Number of rows per transaction: a few milliseconds of database time. */
const ROWS_A_WRITE = 500;
/** Maximum number of counters kept while the database cannot be written. Beyond it, the oldest are dropped. */
const MAX_UNWRITTEN = 50_000;

type TrendDatabase = Pick<Database, 'transaction'>;

/** Dependencies of {@link TrendRecorder}. */
export interface TrendRecorderDependencies {
  database: TrendDatabase;
  log: Logger;
  now: () => number;
}

/**
 * Counts attempts and events for charts. Delivery only adds to numbers in memory (0.1 µs per attempt). They are written
 * every few seconds and at shutdown, in separate transactions. A crash loses numbers that were not written yet. They
 * are only used for charts, not for a webhook's statistics.
 */
export class TrendRecorder implements AsyncDisposable {
  readonly #with: TrendRecorderDependencies;
  /** Attempts by minute and webhook. */
  #attempts = new Map<number, Map<number, TrendCounters>>();
  #events = new Map<number, number>();
  #minute = Number.NaN;
  #ofMinute = new Map<number, TrendCounters>();
  #unwritten: StoredCounters[] = [];
  /** Writes the counters. Counters that cannot be written are kept for the next time. */
  readonly write = oneAtATime(() => this.#writeAll());
  #failing = false;
  readonly #task = new BackgroundTask({
    round: () => this.write(),
    firstPauseMs: WRITE_INTERVAL_MS,
    pauseMs: WRITE_INTERVAL_MS,
    onError: (error) => this.#failed(error),
  });

  constructor(dependencies: TrendRecorderDependencies) {
    this.#with = dependencies;
  }

  /** Counts a delivery attempt. */
  attempted(webhookId: number, succeeded: boolean, durationMs: number): void {
    const minute = this.#minuteOfNow();
    if (minute !== this.#minute) this.#beginMinute(minute);
    let counters = this.#ofMinute.get(webhookId);
    if (counters === undefined) {
      counters = emptyCounters();
      this.#ofMinute.set(webhookId, counters);
    }
    countAttempt(counters, succeeded, durationMs);
  }

  /** Counts an event. */
  eventOccurred(): void {
    const minute = this.#minuteOfNow();
    this.#events.set(minute, (this.#events.get(minute) ?? 0) + 1);
  }

  /** Starts the background task. */
  start(): void {
    this.#task.start();
  }

  /** Removes counters that no chart shows any longer, at most `limit`, and returns how many. */
  async forgetOld(limit: number): Promise<number> {
    const now = this.#with.now();
    return await this.#with.database.transaction(async (tx) => {
      let removed = await deleteTrendsBefore(tx, MINUTE_MS, now - KEPT_MS[MINUTE_MS], limit);
      if (removed < limit)
        removed += await deleteTrendsBefore(tx, HOUR_MS, now - KEPT_MS[HOUR_MS], limit - removed);
      if (removed < limit) await deleteEventCountsBefore(tx, now - KEPT_MS[MINUTE_MS]);
      return removed;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
    await this.write();
    // A write may already have been in progress, without the last attempts.
    await this.write();
  }

  #minuteOfNow(): number {
    const now = this.#with.now();
    return now - (now % MINUTE_MS);
  }

  #beginMinute(minute: number): void {
    this.#minute = minute;
    this.#ofMinute = this.#attempts.get(minute) ?? new Map();
    this.#attempts.set(minute, this.#ofMinute);
  }

  async #writeAll(): Promise<void> {
    const attempts = this.#attempts;
    const events = this.#events;
    this.#attempts = new Map();
    this.#events = new Map();
    this.#minute = Number.NaN;
    this.#unwritten = merged(this.#unwritten, toRows(attempts));
    try {
      if (events.size > 0) {
        await this.#with.database.transaction((tx) => addEventCounts(tx, [...events]), {
          durability: 'deferred',
        });
        events.clear();
      }
      while (this.#unwritten.length > 0) {
        const rows = this.#unwritten.slice(0, ROWS_A_WRITE);
        await this.#with.database.transaction((tx) => addTrends(tx, rows), { durability: 'deferred' });
        this.#unwritten = this.#unwritten.slice(rows.length);
      }
      this.#failing = false;
    } catch (error) {
      for (const [minute, count] of events)
        if (minute >= this.#with.now() - KEPT_MS[MINUTE_MS])
          this.#events.set(minute, (this.#events.get(minute) ?? 0) + count);
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!this.#failing)
      this.#with.log.warn('the counters for charts could not be stored; retrying', { error });
    this.#failing = true;
  }
}

/** Rows of each webhook and of all together, by minute and by hour. */
function* toRows(
  attempts: ReadonlyMap<number, ReadonlyMap<number, TrendCounters>>,
): Generator<StoredCounters> {
  for (const [minute, byWebhook] of attempts)
    for (const [webhookId, counters] of byWebhook)
      for (const id of [webhookId, ALL_WEBHOOKS])
        for (const widthMs of [MINUTE_MS, HOUR_MS] as const)
          yield { ...counters, webhookId: id, widthMs, startAt: minute - (minute % widthMs) };
}

/**
 * Merges added rows with the waiting ones: one row for each key, because a statement cannot change a row twice. The
 * rows are always in the same order, so that instances cannot deadlock.
 */
function merged(waiting: Iterable<StoredCounters>, added: Iterable<StoredCounters>): StoredCounters[] {
  const rows = new Map<string, StoredCounters>();
  for (const each of [...waiting, ...added]) {
    const key = `${each.webhookId} ${each.widthMs} ${each.startAt}`;
    let row = rows.get(key);
    if (row === undefined) {
      const { webhookId, widthMs, startAt } = each;
      row = { webhookId, widthMs, startAt, ...emptyCounters() };
      rows.set(key, row);
    }
    addCounters(row, each);
  }
  return newest([...rows.values()]).sort(
    (a, b) => a.webhookId - b.webhookId || a.widthMs - b.widthMs || a.startAt - b.startAt,
  );
}

/** At most {@link MAX_UNWRITTEN} rows. */
function newest(rows: StoredCounters[]): StoredCounters[] {
  if (rows.length <= MAX_UNWRITTEN) return rows;
  return rows.sort((a, b) => b.startAt - a.startAt).slice(0, MAX_UNWRITTEN);
}
