import type { Reader, SqlValue, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import { ASSET_TABLES } from './asset-tables.ts';
import type { Group, GroupValues } from './group.ts';

/** SQL for bundles and equivalents, one operation per function. */

/** Where a kind of group and its contents are stored. */
export interface GroupTables<Given> {
  readonly type: 'BUNDLE' | 'EQUIVALENT';
  readonly contents: {
    readonly table: 'bundle_contents' | 'equivalent_courses';
    readonly owner: 'bundle_id' | 'equivalent_id';
    readonly columns: readonly string[];
  };
  /** The values of a content, in the order of its columns. */
  toColumns(given: Given): SqlValue[];
}

/** Which groups are read, in ascending order of id. */
export interface GroupRange {
  after: number;
  /** Null for no end. */
  upTo: number | null;
  limit: number;
}

/** The columns of a group in a row, which may also have one of its contents. */
interface GroupRow {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  revision: number;
  created_at: number;
  updated_at: number;
}

/** The groups of rows, in the order of the rows. @param contentOf null for a group without contents */
export function toGroups<Row extends GroupRow, Content>(
  rows: readonly Row[],
  contentOf: (row: Row) => Content | null,
): Group<Content>[] {
  const groups = new Map<number, Group<Content>>();
  for (const row of rows) {
    const group = groups.get(row.id) ?? {
      id: row.id,
      name: row.name,
      folderId: row.folder_id,
      location: row.location,
      contents: [],
      revision: row.revision,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    };
    groups.set(row.id, group);
    const content = contentOf(row);
    if (content !== null) group.contents.push(content);
  }
  return [...groups.values()];
}

/** How many contents each group of a page has, in the order of the page. */
export async function countContentsOfPage(
  reader: Pick<Reader, 'all'>,
  { type, contents }: GroupTables<never>,
  { after, limit }: PageRequest,
): Promise<number[]> {
  const { table } = ASSET_TABLES[type];
  const rows = await reader.all<{ count: number }>(
    `select (select count(*) from ${contents.table} as held where held.${contents.owner} = ${table}.id) as count
     from ${table} where ${table}.id > ? order by ${table}.id limit ?`,
    after ?? 0,
    limit,
  );
  return rows.map(({ count }) => Number(count));
}

/** Returns the new group's id. */
export async function insertGroup<Given>(
  tx: Transaction,
  tables: GroupTables<Given>,
  { name, folderId, contents }: GroupValues<Given>,
  now: number,
): Promise<number> {
  const [row] = await tx.all<{ id: number }>(
    `insert into ${ASSET_TABLES[tables.type].table} (name, folder_id, revision, created_at, updated_at)
     values (?, ?, 1, ?, ?) returning id`,
    name,
    folderId,
    now,
    now,
  );
  await insertContents(tx, tables, row!.id, contents);
  return row!.id;
}

/** Replaces a group, including its contents. */
export async function updateGroup<Given>(
  tx: Transaction,
  tables: GroupTables<Given>,
  id: number,
  { name, folderId, contents }: GroupValues<Given>,
  now: number,
): Promise<void> {
  await tx.run(
    `update ${ASSET_TABLES[tables.type].table} set name = ?, folder_id = ?, revision = revision + 1, updated_at = ?
     where id = ?`,
    name,
    folderId,
    now,
    id,
  );
  await deleteContents(tx, tables, id);
  await insertContents(tx, tables, id, contents);
}

/** Deletes a group that nothing uses. Its contents are kept. */
export async function deleteGroup(tx: Transaction, tables: GroupTables<never>, id: number): Promise<void> {
  await deleteContents(tx, tables, id);
  await tx.run(`delete from ${ASSET_TABLES[tables.type].table} where id = ?`, id);
}

async function insertContents<Given>(
  tx: Transaction,
  { contents: { table, owner, columns }, toColumns }: GroupTables<Given>,
  id: number,
  contents: readonly Given[],
): Promise<void> {
  const rows = contents.map((given, position) => [id, position, ...toColumns(given)]);
  await tx.insertMany(table, [owner, 'position', ...columns], rows);
}

async function deleteContents(
  tx: Transaction,
  { contents: { table, owner } }: GroupTables<never>,
  id: number,
): Promise<void> {
  await tx.run(`delete from ${table} where ${owner} = ?`, id);
}
