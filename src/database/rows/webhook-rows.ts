import type { Generated } from 'kysely';

/** Rows of webhooks, their history and their charts. */

export interface WebhookRow {
  id: Generated<number>;
  name: string;
  topic: string;
  /** 1 when all subtopics of the topic apply, whatever later releases add. */
  all_subtopics: number;
  target_url: string;
  authentication_type: string;
  /** JSON of key and secret, encrypted; null for type NONE. */
  credentials: string | null;
  enabled: number;
  /** When it became inactive; null when it is active, or when that was not recorded yet. */
  inactive_at: number | null;
  /** When it was paused; null when it is not. */
  paused_at: number | null;
  max_attempts: number;
  ignore_before: number | null;
  logging_mode: string;
  revision: number;
  created_at: number;
  updated_at: number;
  /** A deleted webhook stays as long as its delivery history does. */
  deleted_at: number | null;
}

export interface WebhookSubtopicRow {
  webhook_id: number;
  subtopic: string;
}

export interface WebhookFocusRow {
  webhook_id: number;
  position: number;
  focus_type: string;
  focus_id: number;
  focus_name: string | null;
}

/** The index that publishing looks webhooks up by; derived from the configuration of active webhooks. */
export interface WebhookTriggerRow {
  subtopic: string;
  /** ACCOUNT, a content type, or ANY. */
  focus_type: string;
  focus_id: number;
  webhook_id: number;
  /** 1 when the webhook has a content focus that must be met as well. */
  needs_content: number;
}

export interface WebhookStatisticsRow {
  webhook_id: number;
  valid_from: number;
  success_count: number;
  last_success_at: number | null;
  error_count: number;
  last_error_at: number | null;
  last_error_message: string | null;
  in_error: number;
}

/** Attempts of a webhook within a minute or an hour, for charts. */
export interface WebhookTrendRow {
  /** 0 for all webhooks together. */
  webhook_id: number;
  width_ms: number;
  start_at: number;
  success_count: number;
  failure_count: number;
  latency_total: number;
  latency_max: number;
  /** Attempts by class of latency: `latency_0` to `latency_12`. */
  [latency: `latency_${number}`]: number;
}

/** Events of a minute, for charts. */
export interface EventTrendRow {
  start_at: number;
  event_count: number;
}

/** A message whose delivery was tried or decided: one row a message. */
export interface DeliveryRow {
  id: Generated<number>;
  webhook_id: number;
  message_id: string;
  subtopic: string;
  status: string;
  /** As a queued message's `stored_body`. */
  body: string;
  shared_body_id: number | null;
  /** When the event occurred and its message was queued. */
  enqueued_at: number;
  updated_at: number;
  /** Attempts that were made in all, over redeliveries. */
  attempts: number;
  /** The latest attempt: when it began, its duration, its answer, why it failed. */
  attempted_at: number | null;
  duration_ms: number | null;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  status_reason: string | null;
  /** 1: the latest attempt sent its request a second time (see {@link DeliveryAttemptRow.resent}). */
  resent: Generated<number>;
}

/** A delivery in its webhook's list. SQLite's alone. */
export interface ListedDeliveryRow {
  webhook_id: number;
  delivery_id: number;
}

/** The one row of what is said of the lists. SQLite's alone. */
export interface DeliveryListingRow {
  /** The last delivery that is in its webhook's list; all before it are, none behind it is. */
  listed_to: number;
}

/** An attempt before a message's latest one. */
export interface DeliveryAttemptRow {
  delivery_id: number;
  attempt: number;
  attempted_at: number;
  duration_ms: number;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  /** 1: the target closed a kept connection as the request was written, so the request was sent once more. */
  resent: Generated<number>;
}
