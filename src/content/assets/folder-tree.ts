import { type RawBuilder, sql } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import { recordset, toIdList } from '../../database/recordset.ts';
import { type InputError, noSuch, pointerTo } from '../../problems/problem.ts';
import { givenId } from './given-members.ts';

/** What other slices may know about folders: paths, ancestors, and locking them. */

/** The root folder, which is created with the database. */
export const ROOT_FOLDER = { id: 1, name: 'Home' } as const;

/**
 * Maximum depth of folders, which limits the length of a location. It also terminates recursive statements,
 * even in a manually edited database.
 */
export const MAX_FOLDER_DEPTH = 50;

/** The columns that name folders in queries. */
type FolderIdColumn =
  | 'folders.id'
  | 'courses.folder_id'
  | 'equivalents.folder_id'
  | 'bundles.folder_id'
  | 'folders.parent_id'
  | 'listed.folder_id';

/**
 * A column for queries: the path of the folder with the id `folderId`, joined with ` > `. It is part of the
 * statement that reads the rows, so that both are consistent.
 */
export function locationOf(folderId: FolderIdColumn): RawBuilder<string> {
  return sql<string>`(
    with recursive chain (parent_id, location, height) as (
      select step.parent_id, step.name, 0 from folders as step where step.id = ${sql.ref(folderId)}
      union all
      select step.parent_id, step.name || ' > ' || chain.location, chain.height + 1
      from chain join folders as step on step.id = chain.parent_id
      where chain.height < ${sql.lit(MAX_FOLDER_DEPTH)})
    select chain.location from chain where chain.parent_id is null)`;
}

/** The error of a member that refers to a folder: it does not exist. */
export function noSuchFolder(member: 'folder_id' | 'parent_id', folderId: number): InputError {
  return noSuch(pointerTo('', member), 'folder', folderId);
}

/** The errors of a member that refers to a folder, if it is an id. */
export async function folderErrors(
  reader: Pick<Reader, 'all'>,
  member: 'folder_id' | 'parent_id',
  value: unknown,
): Promise<InputError[]> {
  const folderId = givenId(value);
  if (folderId === null || (await readFolderChain(reader, folderId)).length > 0) return [];
  return [noSuchFolder(member, folderId)];
}

/** A folder and its ancestors up to the root. Empty if it does not exist. */
export async function readFolderChain(reader: Pick<Reader, 'all'>, folderId: number): Promise<number[]> {
  const rows = await reader.all<{ id: number }>(
    `with recursive chain (id, parent_id, height) as (
       select folders.id, folders.parent_id, 0 from folders where folders.id = ?
       union all
       select folders.id, folders.parent_id, chain.height + 1
       from chain join folders on folders.id = chain.parent_id
       where chain.height < ${MAX_FOLDER_DEPTH})
     select chain.id from chain order by chain.height`,
    folderId,
  );
  return rows.map(({ id }) => id);
}

/** {@link readFolderChain} of several folders, by id. */
export async function readFolderChains(
  reader: Pick<Reader, 'all' | 'dialect'>,
  folderIds: readonly number[],
): Promise<Map<number, number[]>> {
  const rows = await reader.all<{ start: number; id: number }>(
    `with recursive chain (start, id, parent_id, height) as (
       select folders.id, folders.id, folders.parent_id, 0
       from ${recordset(reader.dialect, 'given', { id: 'bigint' })} join folders on folders.id = given.id
       union all
       select chain.start, folders.id, folders.parent_id, chain.height + 1
       from chain join folders on folders.id = chain.parent_id
       where chain.height < ${MAX_FOLDER_DEPTH})
     select chain.start, chain.id from chain order by chain.start, chain.height`,
    toIdList(folderIds),
  );
  const chains = Map.groupBy(rows, ({ start }) => start);
  return new Map([...chains].map(([start, steps]) => [start, steps.map(({ id }) => id)]));
}

/**
 * Returns whether the folder exists, and locks it against deletion until the transaction ends. On SQLite, every
 * transaction does. On PostgreSQL, this locks the row.
 */
export async function lockExistingFolder(tx: Transaction, folderId: number): Promise<boolean> {
  const row = await tx.query
    .selectFrom('folders')
    .select('folders.id')
    .where('folders.id', '=', folderId)
    .$if(tx.dialect === 'postgres', (query) => query.forKeyShare())
    .executeTakeFirst();
  return row !== undefined;
}
