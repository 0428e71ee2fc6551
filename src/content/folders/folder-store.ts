import { type Selectable, sql } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import type { FolderRow } from '../../database/schema.ts';
import { ASSET_TABLES } from '../assets/asset-tables.ts';
import { locationOf, MAX_FOLDER_DEPTH, ROOT_FOLDER } from '../assets/folder-tree.ts';

/** SQL for folders, one operation per function. */

/** A folder, and where it is. */
export interface StoredFolder extends Selectable<FolderRow> {
  /** The path of the parent folder; empty for the root. */
  location: string;
}

/** The new state of a folder. `parentId` is null only for the root. */
interface FolderValues {
  name: string;
  parentId: number | null;
}

/** Where a folder is: like the `location` of other content, the path of the folder that contains it. */
const parentLocation = sql<string>`coalesce(${locationOf('folders.parent_id')}, '')`.as('location');

/** A folder by id; undefined if it does not exist. */
export async function readFolder(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<StoredFolder | undefined> {
  return await reader.query
    .selectFrom('folders')
    .selectAll()
    .select(parentLocation)
    .where('folders.id', '=', id)
    .executeTakeFirst();
}

/** A page of folders, by id. */
export async function readFolders(reader: Pick<Reader, 'query'>, page: PageRequest): Promise<StoredFolder[]> {
  return await reader.query
    .selectFrom('folders')
    .selectAll()
    .select(parentLocation)
    .where('folders.id', '>', page.after ?? 0)
    .orderBy('folders.id')
    .limit(page.limit + 1)
    .execute();
}

/** The number of levels below a folder: 0 if it has no subfolders. */
export async function readHeightBelow(reader: Pick<Reader, 'all'>, id: number): Promise<number> {
  const [row] = await reader.all<{ height: number }>(
    `with recursive below (id, height) as (
       select folders.id, 0 from folders where folders.id = ?
       union all
       select folders.id, below.height + 1 from below join folders on folders.parent_id = below.id
       where below.height < ${MAX_FOLDER_DEPTH})
     select coalesce(max(below.height), 0) as height from below`,
    id,
  );
  return row?.height ?? 0;
}

/** What a folder directly contains, in words: `folders`, `courses`. */
export async function readOccupants(reader: Pick<Reader, 'all'>, id: number): Promise<string[]> {
  const found: string[] = [];
  for (const type of ['FOLDER', 'COURSE', 'EQUIVALENT', 'BUNDLE'] as const) {
    const { table, folderId } = ASSET_TABLES[type];
    const rows = await reader.all(`select 1 as one from ${table} where ${folderId} = ? limit 1`, id);
    if (rows.length > 0) found.push(table);
  }
  return found;
}

/**
 * Serializes changes of the tree, so that two concurrent moves cannot create a cycle. On SQLite, transactions
 * already do. On PostgreSQL, this locks the row of the root.
 */
export async function lockFolderTree(tx: Transaction): Promise<void> {
  if (tx.dialect !== 'postgres') return;
  await tx.query
    .selectFrom('folders')
    .select('folders.id')
    .where('folders.id', '=', ROOT_FOLDER.id)
    .forNoKeyUpdate()
    .execute();
}

/** Creates the root if there is none. */
export async function insertRootFolder(tx: Transaction, now: number): Promise<void> {
  const inserted = await tx.run(
    `insert into folders (id, name, parent_id, revision, created_at, updated_at)
     values (?, ?, null, 1, ?, ?) on conflict do nothing`,
    ROOT_FOLDER.id,
    ROOT_FOLDER.name,
    now,
    now,
  );
  // An explicit id does not advance the sequence of PostgreSQL: the next folder would get the same id.
  if (inserted > 0 && tx.dialect === 'postgres') {
    await tx.all(`select setval(pg_get_serial_sequence('folders', 'id'), max(folders.id)) from folders`);
  }
}

/** Returns the new folder's id. */
export async function insertFolder(
  tx: Transaction,
  { name, parentId }: FolderValues,
  now: number,
): Promise<number> {
  const row = await tx.query
    .insertInto('folders')
    .values({ name, parent_id: parentId, revision: 1, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Renames and moves a folder. */
export async function updateFolder(
  tx: Transaction,
  id: number,
  { name, parentId }: FolderValues,
  now: number,
): Promise<void> {
  await tx.query
    .updateTable('folders')
    .set((eb) => ({ name, parent_id: parentId, revision: eb('revision', '+', 1), updated_at: now }))
    .where('folders.id', '=', id)
    .execute();
}

/** Deletes a folder that is empty and that nothing uses. */
export async function deleteFolder(tx: Transaction, id: number): Promise<void> {
  await tx.query.deleteFrom('folders').where('folders.id', '=', id).execute();
}
