import type { Migration } from './migration.ts';

/** Since when a webhook is paused or inactive. For webhooks that are inactive already, the time is unknown. */
export const pausedWebhooks: Migration = {
  number: 24,
  name: 'paused-webhooks',
  statements: ({ int }) => [
    `alter table webhooks add column paused_at ${int}`,
    `alter table webhooks add column inactive_at ${int}`,
    `create index webhooks_paused on webhooks (paused_at) where paused_at is not null`,
  ],
};
