import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { locationOf, MAX_FOLDER_DEPTH } from '../../content/assets/folder-tree.ts';
import type { Reader } from '../../database/database.ts';

/**
 * The locations of folders, by id. They are read for the rows of a page, not for all rows that were sorted to find
 * it.
 */
export async function readLocations(
  reader: Pick<Reader, 'query'>,
  folderIds: Iterable<number>,
): Promise<Map<number, string>> {
  const ids = [...new Set(folderIds)];
  if (ids.length === 0) return new Map();
  const rows = await reader.query
    .selectFrom('folders')
    .select(['folders.id', locationOf('folders.id').as('location')])
    .where('folders.id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row.location]));
}

type FolderColumn = 'courses.folder_id' | 'equivalents.folder_id' | 'bundles.folder_id';

/** Whether something is in a folder or, with `recursive`, in one of its subfolders. */
export function isInFolder(column: FolderColumn, folderId: number, recursive: boolean): RawBuilder<SqlBool> {
  if (!recursive) return sql`${sql.ref(column)} = ${folderId}`;
  return sql`${sql.ref(column)} in (
    with recursive below (id, depth) as (
      select step.id, 0 from folders as step where step.id = ${folderId}
      union all
      select step.id, below.depth + 1 from below join folders as step on step.parent_id = below.id
      where below.depth < ${sql.lit(MAX_FOLDER_DEPTH)})
    select below.id from below)`;
}
