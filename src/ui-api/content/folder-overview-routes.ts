import type { Reader } from '../../database/database.ts';
import type { Routes } from '../../http/routes.ts';
import { type FolderOverview, MAX_FOLDERS, readFolderTree } from './folder-overview.ts';

/** All folders, up to a bound: beyond it `truncated` is true. */
export type FolderTree = ReturnType<typeof toTree>;

/** The tree of folders, for the admin UI. */
export function folderOverviewRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/folders',
    {
      config: { scope: 'content:read' },
      schema: { hide: true },
    },
    async () => toTree(await readFolderTree(reader)),
  );
}

function toTree(folders: FolderOverview[]) {
  const data = folders.slice(0, MAX_FOLDERS);
  return { data, total: data.length, truncated: folders.length > MAX_FOLDERS };
}
