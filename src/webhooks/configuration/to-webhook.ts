import { subtopicsOf } from '../../events/catalogue.ts';
import type { Webhook } from './webhook.ts';
import type { StoredWebhook } from './webhook-store.ts';

function isPast(moment: number | null, now: number): boolean {
  return moment !== null && moment <= now;
}

/**
 * Converts a row to a webhook.
 * @param now in epoch milliseconds; it decides whether a former signing secret still signs
 */
export function toWebhook(
  row: StoredWebhook,
  details: Pick<Webhook, 'subtopics' | 'focus' | 'authentication'>,
  now: number,
): Webhook {
  const allSubtopics = row.all_subtopics === 1;
  const topic = row.topic as Webhook['topic'];
  return {
    id: row.id,
    name: row.name,
    topic,
    allSubtopics,
    subtopics: subtopicsOf(topic).filter((each) => details.subtopics.includes(each)),
    focus: details.focus,
    targetUrl: row.target_url,
    authentication: details.authentication,
    enabled: row.enabled === 1,
    inactiveAt: row.inactive_at,
    paused: row.paused_at !== null,
    pausedAt: row.paused_at,
    signingSince: row.signing_since,
    formerSigningSecretUntil: isPast(row.former_signing_secret_until, now)
      ? null
      : row.former_signing_secret_until,
    maxAttempts: row.max_attempts,
    ignoreBefore: row.ignore_before,
    loggingMode: row.logging_mode as Webhook['loggingMode'],
    inError: row.in_error === 1,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
