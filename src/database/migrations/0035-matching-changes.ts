import type { Migration } from './migration.ts';

/**
 * When the events that a webhook matches last changed. Null for webhooks that were not changed since this migration:
 * then it was not after `updated_at`.
 */
export const matchingChanges: Migration = {
  number: 35,
  name: 'matching-changes',
  statements: ({ int }) => [`alter table webhooks add column matching_changed_at ${int}`],
};
