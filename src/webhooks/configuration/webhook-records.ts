import type { Static } from 'typebox';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import type { Focus, Webhook, WebhookStatistics } from './webhook.ts';
import type { StatisticsRecord } from './webhook-schemas.ts';

/** A webhook as the API returns it. */
export type WebhookRecord = ReturnType<typeof toWebhookRecord>;
export type FocusRecord = ReturnType<typeof toFocusRecord>;

/** A webhook as the API returns it, without its secret. */
export function toWebhookRecord(webhook: Webhook, readOnly: boolean) {
  return {
    id: webhook.id,
    name: webhook.name,
    topic: webhook.topic,
    subtopics: webhook.subtopics,
    all_subtopics: webhook.allSubtopics,
    focus: webhook.focus.map(toFocusRecord),
    target_url: webhook.targetUrl,
    authentication: webhook.authentication,
    enabled: webhook.enabled,
    inactive_since_dt: formatOptionalDateTime(webhook.inactiveAt),
    paused: webhook.paused,
    paused_since_dt: formatOptionalDateTime(webhook.pausedAt),
    max_attempts: webhook.maxAttempts,
    ignore_before_dt: formatOptionalDateTime(webhook.ignoreBefore),
    logging_mode: webhook.loggingMode,
    signing_since_dt: formatOptionalDateTime(webhook.signingSince),
    former_signing_secret_until_dt: formatOptionalDateTime(webhook.formerSigningSecretUntil),
    in_error: webhook.inError,
    read_only: readOnly,
    created_dt: formatDateTime(webhook.createdAt),
    updated_dt: formatDateTime(webhook.updatedAt),
  };
}

/** A focus as the API returns it. */
export function toFocusRecord({ type, id, name }: Focus) {
  return { webhook_focus_type: type, webhook_focus_id: id, webhook_focus_name: name };
}

/** The statistics of a webhook as the API returns them. */
export function toStatisticsRecord(statistics: WebhookStatistics): Static<typeof StatisticsRecord> {
  return {
    statistics_valid_from_dt: formatDateTime(statistics.validFrom),
    success_count: statistics.successCount,
    last_success_dt: formatOptionalDateTime(statistics.lastSuccessAt),
    error_count: statistics.errorCount,
    last_error_dt: formatOptionalDateTime(statistics.lastErrorAt),
    last_error_message: statistics.lastErrorMessage,
  };
}
