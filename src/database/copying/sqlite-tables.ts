import type { Reader } from '../database.ts';

/** A table of the embedded database, as SQLite describes it. */
export interface SqliteTable {
  name: string;
  columns: readonly string[];
  /** The columns of the primary key, in order. */
  key: readonly string[];
  /** A column that refers to rows of the same table, such as the parent of a folder. */
  selfReference: string | null;
  /** The last id that was generated, even if its row was deleted; null if ids are not generated. */
  lastNumber: number | null;
}

/** Each database has its own record of migrations. The other two tables are an index that only SQLite has. */
const NOT_COPIED = ['migrations', 'listed_deliveries', 'delivery_listing'];

/** All tables that are copied. A table comes after those that it refers to. */
export async function readSqliteTables(reader: Pick<Reader, 'all'>): Promise<SqliteTable[]> {
  const names = await reader.all<{ name: string }>(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'
       and name not in (${NOT_COPIED.map(() => '?').join(', ')}) order by name`,
    ...NOT_COPIED,
  );
  const remaining = new Map<string, { table: SqliteTable; needs: Set<string> }>();
  for (const { name } of names) remaining.set(name, await describe(reader, name));
  const ordered: SqliteTable[] = [];
  while (remaining.size > 0) {
    const free = [...remaining.values()].filter(
      ({ needs }) => !needs.keys().some((name) => remaining.has(name)),
    );
    if (free.length === 0) throw new Error(`tables refer to each other: ${[...remaining.keys()].join(', ')}`);
    for (const { table } of free) {
      remaining.delete(table.name);
      ordered.push(table);
    }
  }
  return ordered;
}

async function describe(
  reader: Pick<Reader, 'all'>,
  name: string,
): Promise<{ table: SqliteTable; needs: Set<string> }> {
  const columns = await reader.all<{ name: string; pk: number }>(
    'select name, pk from pragma_table_info(?) order by cid',
    name,
  );
  const references = await reader.all<{ referred: string; column: string }>(
    'select "table" as referred, "from" as "column" from pragma_foreign_key_list(?)',
    name,
  );
  const [numbered] = await reader.all<{ seq: number }>(
    'select seq from sqlite_sequence where name = ?',
    name,
  );
  const table: SqliteTable = {
    name,
    columns: columns.map((column) => column.name),
    key: columns
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map((column) => column.name),
    selfReference: references.find(({ referred }) => referred === name)?.column ?? null,
    lastNumber: numbered?.seq ?? null,
  };
  const needs = new Set(references.map(({ referred }) => referred).filter((referred) => referred !== name));
  return { table, needs };
}
