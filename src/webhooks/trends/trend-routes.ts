import { Type } from 'typebox';
import { parseId } from '../../http/ids.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, Nullable } from '../../http/schemas.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { latencyQuantile, TREND_PERIODS, type TrendPeriod } from './trend.ts';
import type { TrendBucket, TrendService } from './trend-service.ts';

const PERIODS = Object.keys(TREND_PERIODS) as TrendPeriod[];
const DEFAULT_PERIOD: TrendPeriod = 'day';
const MS_PER_SECOND = 1_000;

const Milliseconds = Nullable(Type.Number());

const TrendRecord = Type.Object({
  period: Type.Enum([...PERIODS]),
  bucket_seconds: Type.Integer(),
  buckets: Type.Array(
    Type.Object({
      start_dt: DateTime('When the bucket starts.'),
      success_count: Type.Integer(),
      failure_count: Type.Integer(),
      latency_ms: Type.Object(
        { mean: Milliseconds, max: Milliseconds, p50: Milliseconds, p95: Milliseconds },
        {
          description:
            'Of all attempts, including failed ones. Null without attempts. p50 and p95 are estimates.',
        },
      ),
    }),
  ),
});

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
        response: { 200: TrendRecord, ...problems(400, 404) },
      },
    },
    async (request) => {
      const { period = DEFAULT_PERIOD } = request.query;
      const buckets = await trends.ofWebhook(parseId(request.params.webhook_id, 'webhook'), period);
      const { bucketMs } = TREND_PERIODS[period];
      return { period, bucket_seconds: bucketMs / MS_PER_SECOND, buckets: buckets.map(toRecord) };
    },
  );
}

function toRecord({ startAt, counters }: TrendBucket) {
  const attempts = counters.successes + counters.failures;
  return {
    start_dt: formatDateTime(startAt),
    success_count: counters.successes,
    failure_count: counters.failures,
    latency_ms: {
      mean: attempts === 0 ? null : counters.latencyTotal / attempts,
      max: attempts === 0 ? null : counters.latencyMax,
      p50: latencyQuantile(counters, 0.5),
      p95: latencyQuantile(counters, 0.95),
    },
  };
}
