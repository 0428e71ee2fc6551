import type { Generated } from 'kysely';

/** Rows of webhooks, their history and their charts. */

/** A webhook. The row of a deleted one is kept as long as its history. */
export interface WebhookRow {
  id: Generated<number>;
  name: string;
  topic: string;
  /** 1 if all subtopics of the topic apply, including those of later releases. */
  all_subtopics: number;
  target_url: string;
  authentication_type: string;
  /** JSON of key and secret, encrypted; null for type NONE. */
  credentials: string | null;
  /** The secret that signs postbacks, encrypted; null if they are not signed. */
  signing_secret: Generated<string | null>;
  /** Since when postbacks are signed. */
  signing_since: Generated<number | null>;
  /** After a rotation: the secret that also signs until `former_signing_secret_until`, encrypted. */
  former_signing_secret: Generated<string | null>;
  former_signing_secret_until: Generated<number | null>;
  enabled: number;
  /** When it was deactivated; null if it is active, or if the time was not recorded. */
  inactive_at: number | null;
  /** When it was paused; null if it is not paused. */
  paused_at: number | null;
  max_attempts: number;
  ignore_before: number | null;
  logging_mode: string;
  revision: number;
  created_at: number;
  updated_at: number;
  /** When its topic, subtopics, focus or activation last changed; null: unknown, but not after `updated_at`. */
  matching_changed_at: Generated<number | null>;
  /** A deleted webhook is kept as long as its delivery history. */
  deleted_at: number | null;
}

/** A subtopic of a webhook. */
export interface WebhookSubtopicRow {
  webhook_id: number;
  subtopic: string;
}

/** An asset in the focus of a webhook. */
export interface WebhookFocusRow {
  webhook_id: number;
  position: number;
  focus_type: string;
  focus_id: number;
  focus_name: string | null;
}

/** The index with which publishing finds webhooks. It is derived from the configuration of active webhooks. */
export interface WebhookTriggerRow {
  subtopic: string;
  /** ACCOUNT, a content type, or ANY. */
  focus_type: string;
  focus_id: number;
  webhook_id: number;
  /** 1 if the webhook also has a content focus that must match. */
  needs_content: number;
}

/** The statistics and the error state of a webhook, also of a deleted one. */
export interface WebhookStatisticsRow {
  webhook_id: number;
  valid_from: number;
  success_count: number;
  last_success_at: number | null;
  error_count: number;
  last_error_at: number | null;
  last_error_message: string | null;
  in_error: number;
  /** When the first of the failures since the last success ended; null if the webhook is not in error. */
  failing_since: number | null;
  /** Failed attempts since the last success. */
  failures_in_row: number;
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

/** The events of a minute, for charts. */
export interface EventTrendRow {
  start_at: number;
  event_count: number;
}

/** An event, whether webhooks matched it or not. */
export interface EventRow {
  id: Generated<number>;
  occurred_at: number;
  /** The common part of its messages; if that is stored once for all, only a line feed. */
  body: string;
  shared_body_id: number | null;
  /** The assets that focuses are matched with: the type's first letter and the id, separated by spaces. */
  focused: string;
  /** The ids of the webhooks that matched, as ranges (`3,7-9`); null if the webhooks service was disabled. */
  matched: string | null;
  /** The ids of further webhooks to which it was replayed, in the same form. */
  replayed: Generated<string>;
}

/** A summary of the events after those of the block before it, up to `last_id`. */
export interface EventBlockRow {
  last_id: number;
  /** When the earliest and the latest of them occurred. */
  first_at: number;
  last_at: number;
  /** A Bloom filter of their keys, in base64; see `key-filter.ts`. */
  keys: string;
  /** Which kinds of keys they have; see `event-keys.ts`. */
  key_format: Generated<number>;
}

/** A message with an attempt or a decision. One row per message. */
export interface DeliveryRow {
  id: Generated<number>;
  webhook_id: number;
  message_id: string;
  subtopic: string;
  status: string;
  /** Like `stored_body` of a queued message. */
  body: string;
  shared_body_id: number | null;
  /** When the event occurred, in epoch milliseconds. The name of the column is older than redelivery. */
  enqueued_at: number;
  updated_at: number;
  /** The number of all attempts, including those after redelivery. */
  attempts: number;
  /** How many of them were made before the message was last redelivered or replayed. */
  attempts_before: Generated<number>;
  /** The latest attempt: its start, duration and response, and why it failed. */
  attempted_at: number | null;
  duration_ms: number | null;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  status_reason: string | null;
  /** The headers of the latest attempt (see `attempt-headers.ts`); null if they are not kept. */
  headers: Generated<string | null>;
  /** 1: the latest attempt sent its request a second time (see {@link DeliveryAttemptRow.resent}). */
  resent: Generated<number>;
}

/** A delivery in the list of its webhook. Only on SQLite. */
export interface ListedDeliveryRow {
  webhook_id: number;
  delivery_id: number;
}

/** The single row with the state of the lists. Only on SQLite. */
export interface DeliveryListingRow {
  /** The last delivery that is in the list of its webhook. All earlier ones are listed, no later one is. */
  listed_to: number;
}

/** An attempt before the latest one of a message. */
export interface DeliveryAttemptRow {
  delivery_id: number;
  attempt: number;
  attempted_at: number;
  duration_ms: number;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  headers: Generated<string | null>;
  /** 1: the target closed a kept connection while the request was written, so it was sent again. */
  resent: Generated<number>;
}
