/**
 * What the list of webhooks can be ordered by, as the interface and the columns of the page name it. `failing`: those in error
 * first, then by name.
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

/** `blocked`: the first message that waits has failed before. `active` ones may be paused. */
export const WEBHOOK_STATES = ['active', 'paused', 'inactive', 'in_error', 'blocked'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];
