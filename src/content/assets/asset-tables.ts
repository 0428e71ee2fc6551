import type { FocusType } from '../../events/catalogue.ts';

/** The table of each type of asset and of accounts, and the column of the folder that contains it. */
export const ASSET_TABLES = {
  ACCOUNT: { table: 'accounts', name: 'accounts.name', folderId: null },
  COURSE: { table: 'courses', name: 'courses.name', folderId: 'courses.folder_id' },
  EQUIVALENT: { table: 'equivalents', name: 'equivalents.name', folderId: 'equivalents.folder_id' },
  BUNDLE: { table: 'bundles', name: 'bundles.name', folderId: 'bundles.folder_id' },
  FOLDER: { table: 'folders', name: 'folders.name', folderId: 'folders.parent_id' },
} as const satisfies Record<FocusType, { table: string; name: string; folderId: string | null }>;
