import type { Migration } from './migration.ts';

/** Finds the focuses on a deleted asset without reading the focuses of all webhooks. */
export const focusedAssets: Migration = {
  number: 13,
  name: 'focused-assets',
  statements: () => ['create index webhook_focuses_by_asset on webhook_focuses (focus_type, focus_id)'],
};
