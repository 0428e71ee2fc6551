import type { Database, SqlValue, Transaction } from '../database.ts';
import { storableInJson } from '../postgres/postgres-statements.ts';
import { RowDigest } from './row-digest.ts';
import { readSqliteTables, type SqliteTable } from './sqlite-tables.ts';

/** Rows read, sent and held at a time: 64 KiB of an answer's body each, at most, and often 1. */
const BATCH_ROWS = 200;

/** The target holds data already, or another schema. Nothing was copied. */
export class CopyTargetError extends Error {
  override name = 'CopyTargetError';
}

/** What arrived is not what was sent. Nothing was copied. */
export class CopyMismatchError extends Error {
  override name = 'CopyMismatchError';
}

/** A table that was copied. */
export interface CopiedTable {
  name: string;
  rows: number;
  /** Of its rows as the target holds them; the source's is the same. */
  checksum: string;
  /** Rows with a text that PostgreSQL cannot hold as it is: a NUL became U+FFFD. */
  altered: number;
}

/** What a copy is told to and asks. */
export interface CopyOptions {
  /** Called after each batch of a table. */
  onProgress?: (table: string, rows: number, total: number) => void;
  /** Run in the target's transaction once everything is there and was compared. */
  finish?: (to: Transaction) => Promise<void>;
}

/**
 * Copies all rows of the embedded database into an empty PostgreSQL database with the same schema, ids
 * included, in one transaction there: a copy that is interrupted, wherever, leaves the target empty. The source
 * is read in one transaction, so that nobody writes in the meantime. Before the commit every table is read back
 * and held against what was read.
 * @throws {CopyTargetError} @throws {CopyMismatchError} @throws {DatabaseUnavailableError}
 */
export async function copyDatabase(
  source: Pick<Database, 'transaction'>,
  target: Pick<Database, 'transaction'>,
  { onProgress = () => {}, finish = async () => {} }: CopyOptions = {},
): Promise<CopiedTable[]> {
  return await source.transaction(async (from) => {
    const tables = await readSqliteTables(from);
    return await target.transaction(
      async (to) => {
        await assertReady(from, to, tables);
        const copied: CopiedTable[] = [];
        for (const table of tables) copied.push(await copyTable(from, to, table, onProgress));
        await finish(to);
        return copied;
      },
      { isLong: true },
    );
  });
}

/** Also keeps a service that is started on the target from writing before the copy is there. */
async function assertReady(
  from: Transaction,
  to: Transaction,
  tables: readonly SqliteTable[],
): Promise<void> {
  const migrationsOf = (tx: Transaction) =>
    tx.all<{ number: number; name: string }>('select number, name from migrations order by number');
  const [sent, found] = [JSON.stringify(await migrationsOf(from)), JSON.stringify(await migrationsOf(to))];
  if (sent !== found) throw new CopyTargetError('source and target have gone through different migrations');
  await to.run(`lock table ${tables.map(({ name }) => name).join(', ')} in exclusive mode`);
  const occupied: string[] = [];
  for (const { name } of tables) {
    const [row] = await to.all<{ count: number }>(`select count(*) as count from ${name}`);
    if (row !== undefined && row.count > 0) occupied.push(`${name} (${row.count})`);
  }
  if (occupied.length > 0) {
    throw new CopyTargetError(
      `the target is not empty: it has rows in ${occupied.join(', ')}. Give a new database; a service must not have ` +
        'been started on it',
    );
  }
}

async function copyTable(
  from: Transaction,
  to: Transaction,
  table: SqliteTable,
  onProgress: (table: string, rows: number, total: number) => void,
): Promise<CopiedTable> {
  const { name, columns, selfReference } = table;
  const [counted] = await from.all<{ count: number }>(`select count(*) as count from ${name}`);
  const total = counted?.count ?? 0;
  const sent = new RowDigest();
  let altered = 0;
  for await (const rows of batchesOf(from, table)) {
    const storable = rows.map((row) => row.map(storableInJson));
    altered += storable.filter((row, at) => row.some((value, column) => value !== rows[at]![column])).length;
    for (const row of storable) sent.add(row);
    // Rows that name others of their table get their own place first: those may come later.
    await to.insertMany(
      name,
      columns,
      selfReference === null
        ? storable
        : storable.map((row) =>
            row.map((value, column) => (columns[column] === selfReference ? null : value)),
          ),
    );
    onProgress(name, sent.count, total);
  }
  if (selfReference !== null) await referToEachOther(from, to, table, selfReference);
  if (table.lastNumber !== null) await continueNumbers(to, table, table.lastNumber);
  const arrived = await digestOf(to, table);
  if (sent.count !== total || arrived.count !== total || arrived.checksum !== sent.checksum) {
    throw new CopyMismatchError(
      `${name}: ${total} rows in the source, ${sent.count} read (${sent.checksum}), ${arrived.count} in the target ` +
        `(${arrived.checksum})`,
    );
  }
  return { name, rows: total, checksum: arrived.checksum, altered };
}

async function* batchesOf(from: Transaction, { name, columns }: SqliteTable): AsyncGenerator<SqlValue[][]> {
  let after = Number.MIN_SAFE_INTEGER;
  while (true) {
    const rows = await from.all<Record<string, SqlValue>>(
      `select ${columns.join(', ')}, rowid as copy_place from ${name} where rowid > ? order by rowid limit ${BATCH_ROWS}`,
      after,
    );
    if (rows.length > 0) yield rows.map((row) => columns.map((column) => row[column] ?? null));
    if (rows.length < BATCH_ROWS) return;
    after = rows.at(-1)!.copy_place as number;
  }
}

async function referToEachOther(
  from: Transaction,
  to: Transaction,
  table: SqliteTable,
  column: string,
): Promise<void> {
  const { name, columns, key } = table;
  const isKey = key.map((each) => `${name}.${each} = given.${each}`).join(' and ');
  for await (const rows of batchesOf(from, table)) {
    const given = rows.map((row) => Object.fromEntries(columns.map((each, at) => [each, row[at] ?? null])));
    await to.run(
      `update ${name} set ${column} = given.${column} from json_populate_recordset(null::${name}, ?::json) as given
       where ${isKey} and given.${column} is not null`,
      JSON.stringify(
        given.map((row) => Object.fromEntries([...key, column].map((each) => [each, row[each]]))),
      ),
    );
  }
}

/** New rows get numbers that no row has had, those that were deleted neither. */
async function continueNumbers(to: Transaction, { name, key }: SqliteTable, last: number): Promise<void> {
  const [column] = key;
  if (column === undefined || last < 1) return;
  await to.all('select setval(pg_get_serial_sequence(?, ?), ?)', name, column, last);
}

async function digestOf(to: Transaction, { name, columns }: SqliteTable): Promise<RowDigest> {
  const digest = new RowDigest();
  // A cursor for each table: what it gives has columns of its own.
  const cursor = `copied_${name}`;
  await to.run(`declare ${cursor} no scroll cursor for select ${columns.join(', ')} from ${name}`);
  let rows: Record<string, SqlValue>[];
  do {
    rows = await to.all<Record<string, SqlValue>>(`fetch ${BATCH_ROWS} from ${cursor}`);
    for (const row of rows) digest.add(columns.map((column) => row[column] ?? null));
  } while (rows.length === BATCH_ROWS);
  await to.run(`close ${cursor}`);
  return digest;
}
