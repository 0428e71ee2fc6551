import { topicOf } from '../../events/catalogue.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import {
  type EventRecord,
  type EventSummary,
  type EventWebhookRecord,
  MAX_CONTENT_SHOWN,
} from './event-schemas.ts';
import type { WebhookOutcome } from './event-service.ts';
import { contentOf, type StoredEvent } from './stored-event.ts';

/** An event in a list. */
export function toEventSummary(event: StoredEvent): EventSummary {
  const { account, registration } = event.resource;
  const content = contentOf(event.resource);
  return {
    id: event.id,
    topic: topicOf(event.subtopic),
    subtopic: event.subtopic,
    event_dt: formatDateTime(event.occurredAt),
    user: event.user,
    account: account === undefined ? null : { id: account.id, name: account.name },
    content: content.slice(0, MAX_CONTENT_SHOWN).map(({ type, id, name }) => ({ type, id, name })),
    content_count: content.length,
    registration_id: registration?.registration_id ?? null,
    learner_id: registration?.learner_id ?? null,
    matched_webhooks: event.matched?.length ?? 0,
    replayed_webhooks: event.replayed.length,
  };
}

/** A complete event. */
export function toEventRecord(event: StoredEvent): EventRecord {
  return { ...toEventSummary(event), resource: event.resource };
}

/** The outcome of an event for one webhook. */
export function toEventWebhookRecord(outcome: WebhookOutcome): EventWebhookRecord {
  const { message } = outcome;
  return {
    webhook_id: outcome.id,
    name: outcome.name,
    via: outcome.via,
    reason: outcome.reason,
    configuration_changed: outcome.configurationChanged,
    message:
      message === null
        ? null
        : {
            message_id: message.id,
            status: message.state,
            status_reason: message.delivery?.status_reason ?? null,
            delivery_id: message.delivery?.id ?? null,
            attempts: message.delivery?.attempts ?? 0,
            updated_dt: formatOptionalDateTime(message.delivery?.updated_at ?? null),
            response_status: message.delivery?.response_status ?? null,
            error: message.delivery?.error ?? null,
          },
  };
}
