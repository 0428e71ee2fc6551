/**
 * Sort keys of the list of webhooks, named like the columns of the page. `failing`: webhooks in error first, then by
 * name.
 */
export const WEBHOOK_SORTS = [
  'failing',
  'name',
  'created',
  'last_activity',
  'success_count',
  'error_count',
  'depth',
] as const;
export type WebhookSort = (typeof WEBHOOK_SORTS)[number];

/**
 * Filters of the list. `blocked`: the first message that waits has failed before. `active` webhooks may be paused.
 */
export const WEBHOOK_STATES = ['active', 'paused', 'inactive', 'in_error', 'blocked'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];
