import type { FocusType, Subtopic, Topic } from '../../../src/events/catalogue.ts';

/** A webhook in the list: its configuration in short, its numbers and its line. */
export interface WebhookOverview {
  id: number;
  name: string;
  topic: Topic;
  /** Whatever the topic has, less what the focus excludes; `subtopics` then holds these. */
  all_subtopics: boolean;
  subtopics: Subtopic[];
  target_url: string;
  enabled: boolean;
  in_error: boolean;
  success_count: number;
  error_count: number;
  last_success_dt: string | null;
  last_error_dt: string | null;
  last_error_message: string | null;
  last_activity_dt: string | null;
  created_dt: string;
  /** Messages that wait, one that is out included. */
  depth: number;
  head_attempts: number;
  next_attempt_dt: string | null;
  read_only: boolean;
  focus_count: number;
}

export interface FocusRecord {
  webhook_focus_type: FocusType;
  webhook_focus_id: number;
  webhook_focus_name: string | null;
}

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

/** A webhook as the API tells it; a secret never reads back. */
export interface WebhookRecord {
  id: number;
  name: string;
  topic: Topic;
  subtopics: Subtopic[];
  /** Whatever the topic has, less what the focus excludes; `subtopics` then holds these. */
  all_subtopics: boolean;
  focus: FocusRecord[];
  target_url: string;
  authentication: { type: 'NONE' } | { type: 'BASIC'; key: string };
  enabled: boolean;
  max_attempts: number;
  ignore_before_dt: string | null;
  logging_mode: string;
  in_error: boolean;
  read_only: boolean;
  created_dt: string;
  updated_dt: string;
}

export interface WebhookStatistics {
  statistics_valid_from_dt: string;
  success_count: number;
  last_success_dt: string | null;
  error_count: number;
  last_error_dt: string | null;
  last_error_message: string | null;
}

/** The messages that wait for a webhook. */
export interface Line {
  state: 'EMPTY' | 'DUE' | 'IN_FLIGHT' | 'RETRYING' | 'PAUSED';
  depth: number;
  oldest_dt: string | null;
  head: {
    message_id: string;
    subtopic: Subtopic;
    attempts: number;
    in_flight: boolean;
    last_error_message: string | null;
    next_attempt_dt: string | null;
  } | null;
}

export const TREND_PERIODS = ['hour', 'day', 'week', 'month'] as const;
export type TrendPeriod = (typeof TREND_PERIODS)[number];

export interface TrendBucket {
  start_dt: string;
  success_count: number;
  failure_count: number;
  /** Milliseconds, of all attempts; null without any. */
  latency_ms: { mean: number | null; max: number | null; p50: number | null; p95: number | null };
}

export interface Trend {
  period: TrendPeriod;
  bucket_seconds: number;
  buckets: TrendBucket[];
}

/** What a target answered to a test message. */
export interface TestResult {
  delivered: boolean;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number;
  message: unknown;
}
