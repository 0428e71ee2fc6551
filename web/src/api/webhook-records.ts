import type { WebhookOverview } from '../../../src/ui-api/webhooks/webhook-list-routes.ts';
import type { FocusRecord, WebhookRecord } from '../../../src/webhooks/configuration/webhook-records.ts';
import type {
  WebhookInput,
  StatisticsRecord as WebhookStatistics,
} from '../../../src/webhooks/configuration/webhook-schemas.ts';
import type { HealthRecord as WebhookHealth } from '../../../src/webhooks/health/health-routes.ts';
import type { LineRecord as Line } from '../../../src/webhooks/lines/line-schemas.ts';
import type { TestRecord as TestResult } from '../../../src/webhooks/test-messages/test-message-routes.ts';
import type { Trend, TrendBucketRecord as TrendBucket } from '../../../src/webhooks/trends/trend-routes.ts';

export type {
  FocusRecord,
  Line,
  TestResult,
  Trend,
  TrendBucket,
  WebhookHealth,
  WebhookOverview,
  WebhookRecord,
  WebhookStatistics,
};

/** A configuration without its read-only members. */
export type WebhookConfiguration = Omit<
  WebhookInput,
  'id' | 'in_error' | 'paused_since_dt' | 'inactive_since_dt' | 'read_only' | 'created_dt' | 'updated_dt'
>;

/** The length of the periods of a trend. */
export type TrendPeriod = Trend['period'];
export const TREND_PERIODS = ['hour', 'day', 'week', 'month'] as const satisfies readonly TrendPeriod[];
