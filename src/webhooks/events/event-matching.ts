import { topicOf } from '../../events/catalogue.ts';
import type { WebhookFit } from './matching-store.ts';
import type { StoredEvent } from './stored-event.ts';

/** Why a webhook got no message of an event. */
export const UNMATCHED_REASONS = [
  'SERVICE_DISABLED',
  'CREATED_LATER',
  'INACTIVE',
  'OTHER_TOPIC',
  'SUBTOPIC_NOT_CHOSEN',
  'OUT_OF_FOCUS',
  'CONFIGURATION_CHANGED',
] as const;
export type UnmatchedReason = (typeof UNMATCHED_REASONS)[number];

/**
 * Why a webhook did not match an event, by its current configuration. Former configurations are not kept:
 * CONFIGURATION_CHANGED means that it would match now.
 */
export function unmatchedReason(
  event: Pick<StoredEvent, 'matched' | 'occurredAt' | 'subtopic'>,
  webhook: WebhookFit,
): UnmatchedReason {
  if (event.matched === null) return 'SERVICE_DISABLED';
  if (webhook.created_at > event.occurredAt) return 'CREATED_LATER';
  const wasInactive = webhook.inactive_at === null || webhook.inactive_at <= event.occurredAt;
  if (webhook.enabled === 0 && wasInactive) return 'INACTIVE';
  if (webhook.topic !== topicOf(event.subtopic)) return 'OTHER_TOPIC';
  if (webhook.has_subtopic === 0) return 'SUBTOPIC_NOT_CHOSEN';
  if (webhook.fits_account === 0 || webhook.fits_content === 0) return 'OUT_OF_FOCUS';
  return 'CONFIGURATION_CHANGED';
}

/** Whether the events that the webhook matches were changed afterwards, so that another reason may have applied then. */
export function mayHaveDiffered(
  { occurredAt }: Pick<StoredEvent, 'occurredAt'>,
  { created_at: createdAt, matching_changed_at: changedAt }: WebhookFit,
): boolean {
  return createdAt <= occurredAt && changedAt > occurredAt;
}
