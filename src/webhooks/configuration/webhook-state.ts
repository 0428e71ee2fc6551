import type { WebhookRow } from '../../database/schema.ts';

/** What "active", "paused", "inactive" and "deleted" mean, for rows and as SQL. */

/**
 * The state of a webhook that exists. ACTIVE: its messages are delivered. PAUSED: they are queued until it is resumed.
 * INACTIVE: events create no messages, and waiting ones are discarded.
 */
export type ExistingWebhookState = 'ACTIVE' | 'PAUSED' | 'INACTIVE';

/** The state of a webhook, also of a deleted one, whose row is kept as long as its history. */
export type WebhookState = ExistingWebhookState | 'DELETED';

/** The state of a webhook that was not deleted. */
export function existingWebhookState({
  enabled,
  paused_at: pausedAt,
}: Pick<WebhookRow, 'enabled' | 'paused_at'>): ExistingWebhookState {
  if (enabled === 0) return 'INACTIVE';
  return pausedAt === null ? 'ACTIVE' : 'PAUSED';
}

/** The state of any webhook. */
export function webhookState(row: Pick<WebhookRow, 'enabled' | 'paused_at' | 'deleted_at'>): WebhookState {
  return row.deleted_at === null ? existingWebhookState(row) : 'DELETED';
}

/** The webhook is active or paused, in SQL. */
export const ENABLED_SQL = 'webhooks.enabled = 1 and webhooks.deleted_at is null';

/** The webhook is active, in SQL. */
export const ACTIVE_SQL = `webhooks.paused_at is null and ${ENABLED_SQL}`;

/** The webhook is paused, in SQL. The first condition is that of the index of paused webhooks. */
export const PAUSED_SQL = `webhooks.paused_at is not null and ${ENABLED_SQL}`;
