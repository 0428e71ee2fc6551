import type { Migration } from './migration.ts';

/** When an asset is deleted, the focuses on it are found without reading those of all webhooks. */
export const focusedAssets: Migration = {
  number: 13,
  name: 'focused-assets',
  statements: () => ['create index webhook_focuses_by_asset on webhook_focuses (focus_type, focus_id)'],
};
