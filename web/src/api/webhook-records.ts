import type { Subtopic, Topic } from '../../../src/events/catalogue.ts';
import type { WebhookOverview } from '../../../src/ui-api/webhooks/webhook-list-routes.ts';
import type { FocusRecord, WebhookRecord } from '../../../src/webhooks/configuration/webhook-records.ts';
import type { StatisticsRecord as WebhookStatistics } from '../../../src/webhooks/configuration/webhook-schemas.ts';
import type {
  LineRecord as Line,
  TestRecord as TestResult,
} from '../../../src/webhooks/history/delivery-schemas.ts';
import type { Trend, TrendBucketRecord as TrendBucket } from '../../../src/webhooks/trends/trend-routes.ts';

export type {
  FocusRecord,
  Line,
  TestResult,
  Trend,
  TrendBucket,
  WebhookOverview,
  WebhookRecord,
  WebhookStatistics,
};

/** What an administrator may set, and what only the API sets. */
export interface WebhookConfiguration {
  name: string;
  topic: Topic;
  /** An explicit list. Left out: all that the topic has, less what the focus excludes. */
  subtopics?: Subtopic[];
  focus: FocusRecord[];
  target_url: string;
  authentication: { type: 'NONE' } | { type: 'BASIC'; key: string; secret?: string };
  enabled: boolean;
  max_attempts?: number;
  ignore_before_dt?: string | null;
  logging_mode?: string;
}

export type TrendPeriod = Trend['period'];
export const TREND_PERIODS = ['hour', 'day', 'week', 'month'] as const satisfies readonly TrendPeriod[];
