import { Type } from 'typebox';
import type { Routes } from '../../http/routes.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { SECOND_MS } from '../../time/units.ts';
import { webhookIdOf } from '../configuration/webhook-routes.ts';
import { latencyQuantile, TREND_PERIODS, type TrendPeriod } from './trend.ts';
import type { TrendBucket, TrendService } from './trend-service.ts';

const PERIODS = Object.keys(TREND_PERIODS) as TrendPeriod[];
const DEFAULT_PERIOD: TrendPeriod = 'day';

/** The charts of one webhook. */
export type Trend = ReturnType<typeof toTrend>;
export type TrendBucketRecord = ReturnType<typeof toRecord>;

/** The charts of a webhook, for the admin UI. */
export function trendRoutes(routes: Routes, trends: TrendService): void {
  routes.get(
    '/ui/api/webhooks/:webhook_id/trend',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        hide: true,
        params: Type.Object({ webhook_id: Type.String() }),
        querystring: Type.Object(
          { period: Type.Optional(Type.Enum([...PERIODS])) },
          { additionalProperties: false },
        ),
      },
    },
    async (request) => {
      const { period = DEFAULT_PERIOD } = request.query;
      const buckets = await trends.ofWebhook(webhookIdOf(request.params), period);
      return toTrend(period, buckets);
    },
  );
}

function toTrend(period: TrendPeriod, buckets: readonly TrendBucket[]) {
  const { bucketMs } = TREND_PERIODS[period];
  return { period, bucket_seconds: bucketMs / SECOND_MS, buckets: buckets.map(toRecord) };
}

function toRecord({ startAt, counters }: TrendBucket) {
  const attempts = counters.successes + counters.failures;
  return {
    start_dt: formatDateTime(startAt),
    success_count: counters.successes,
    failure_count: counters.failures,
    /** Latencies of all attempts, including failed ones; null without attempts. p50 and p95 are estimates. */
    latency_ms: {
      mean: attempts === 0 ? null : counters.latencyTotal / attempts,
      max: attempts === 0 ? null : counters.latencyMax,
      p50: latencyQuantile(counters, 0.5),
      p95: latencyQuantile(counters, 0.95),
    },
  };
}
