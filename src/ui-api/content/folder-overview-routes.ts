import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { Id, Nullable } from '../../http/schemas.ts';
import { MAX_FOLDERS, readFolderTree } from './folder-overview.ts';

const FolderTree = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Id('The id of the folder. 1 is the root folder, Home.'),
      name: Type.String(),
      parent_id: Nullable(Id('The parent folder. Null only for the root folder.')),
      course_count: Type.Integer({ description: 'In this folder itself.' }),
      equivalent_count: Type.Integer(),
      bundle_count: Type.Integer(),
    }),
  ),
  total: Type.Integer(),
  truncated: Type.Boolean({ description: 'True: there are more folders than are told.' }),
});

/** The tree of folders, for the admin UI. */
export function folderOverviewRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/folders',
    {
      config: { scope: 'content:read' },
      schema: { hide: true, response: { 200: FolderTree, ...problems() } },
    },
    async () => {
      const folders = await readFolderTree(reader);
      const data = folders.slice(0, MAX_FOLDERS);
      return { data, total: data.length, truncated: folders.length > MAX_FOLDERS };
    },
  );
}
