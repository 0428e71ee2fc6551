import type { Migration } from './migration.ts';

/** Webhooks that are paused, since when, and since when others are inactive: of those that are already, nobody knows. */
export const pausedWebhooks: Migration = {
  number: 24,
  name: 'paused-webhooks',
  statements: ({ int }) => [
    `alter table webhooks add column paused_at ${int}`,
    `alter table webhooks add column inactive_at ${int}`,
    `create index webhooks_paused on webhooks (paused_at) where paused_at is not null`,
  ],
};
