import type { Reader } from '../../database/database.ts';
import { DAY_MS, HOUR_MS } from '../../time/units.ts';
import { requireAnyWebhook } from '../configuration/webhook-store.ts';
import {
  addCounters,
  bucketStarts,
  emptyCounters,
  TREND_PERIODS,
  type TrendCounters,
  type TrendPeriod,
} from './trend.ts';
import {
  ALL_WEBHOOKS,
  type CounterTimes,
  countAttempts,
  readEventCounts,
  readMostFailing,
  readTrend,
} from './trend-store.ts';

/** The attempts from a given time (epoch milliseconds) until the next bucket starts. */
export interface TrendBucket {
  startAt: number;
  counters: TrendCounters;
}

/** A minute of the whole service. */
export interface MinuteOfService {
  startAt: number;
  events: number;
  successes: number;
  failures: number;
}

/** Dependencies of {@link TrendService}. */
export interface TrendServiceDependencies {
  reader: Reader;
  /** Writes the counters of this instance before they are read. */
  recorder: { write(): Promise<void> };
  now: () => number;
}

/** Reads the counters for charts. */
export class TrendService {
  readonly #with: TrendServiceDependencies;

  constructor(dependencies: TrendServiceDependencies) {
    this.#with = dependencies;
  }

  /**
   * A webhook's buckets of a period, evenly spaced. The last one contains the current time. @throws {ProblemError}
   * `not-found`
   */
  async ofWebhook(webhookId: number, period: TrendPeriod): Promise<TrendBucket[]> {
    await requireAnyWebhook(this.#with.reader, webhookId);
    await this.#with.recorder.write();
    return await this.#buckets(webhookId, period, this.#with.now());
  }

  /** A webhook's attempts within the last 24 hours, to the hour. */
  async attemptsOfDay(webhookId: number): Promise<{ successes: number; failures: number }> {
    await this.#with.recorder.write();
    return await countAttempts(this.#with.reader, webhookId, this.#lastTimes(DAY_MS));
  }

  /** The last hour of all webhooks together, by minute. */
  async lastHour(): Promise<MinuteOfService[]> {
    await this.#with.recorder.write();
    const now = this.#with.now();
    const attempts = await this.#buckets(ALL_WEBHOOKS, 'hour', now);
    const rows = await readEventCounts(this.#with.reader, attempts[0]!.startAt);
    const events = new Map(rows.map((row) => [row.start_at, row.event_count]));
    return attempts.map(({ startAt, counters: { successes, failures } }) => ({
      startAt,
      events: events.get(startAt) ?? 0,
      successes,
      failures,
    }));
  }

  /** The webhooks with the most failed attempts within the last hour, and the number of all that have some. */
  async mostFailing(
    limit: number,
  ): Promise<{ webhooks: number; most: { webhookId: number; failures: number }[] }> {
    const rows = await readMostFailing(this.#with.reader, this.#lastTimes(HOUR_MS), limit);
    return {
      webhooks: Number(rows[0]?.webhooks ?? 0),
      most: rows.map((row) => ({ webhookId: row.webhook_id, failures: Number(row.failures) })),
    };
  }

  #lastTimes(ms: number): CounterTimes {
    const until = this.#with.now();
    return { since: until - ms, until };
  }

  async #buckets(webhookId: number, period: TrendPeriod, now: number): Promise<TrendBucket[]> {
    const { counterMs, bucketMs } = TREND_PERIODS[period];
    const starts = bucketStarts(period, now);
    const buckets = new Map(starts.map((startAt) => [startAt, emptyCounters()]));
    for (const counted of await readTrend(this.#with.reader, webhookId, counterMs, starts[0]!)) {
      const bucket = buckets.get(counted.startAt - (counted.startAt % bucketMs));
      if (bucket !== undefined) addCounters(bucket, counted);
    }
    return Array.from(buckets, ([startAt, counters]) => ({ startAt, counters }));
  }
}
