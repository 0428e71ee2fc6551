import { MIB } from '../../bytes.ts';
import { type Database, DatabaseUnavailableError, type SqlValue, type Transaction } from '../database.ts';
import { BlockerWatch, describeBlockers } from '../migration-blockers.ts';
import { isLockTimeout } from '../postgres/postgres-errors.ts';
import { storableInJson } from '../postgres/postgres-statements.ts';
import { removeCopiedMarker } from './copied-marker.ts';
import { RowDigest } from './row-digest.ts';
import { readSqliteTables, type SqliteTable } from './sqlite-tables.ts';

/** Rows that are read, sent and held at a time. */
const BATCH_ROWS = 200;
/**
 * Rows with more bytes are copied one at a time, because JavaScript cannot hold many of them in one text. So a batch has
 * at most 8 MiB, or one row.
 */
const LARGE_ROW_BYTES = (8 * MIB) / BATCH_ROWS;

/** The target is not empty, or the databases have different schemas. Nothing was copied. */
export class CopyTargetError extends Error {
  override name = 'CopyTargetError';
}

/** The copied rows differ from those that were sent. Nothing was copied. */
export class CopyMismatchError extends Error {
  override name = 'CopyMismatchError';
}

/** A table that was copied. */
export interface CopiedTable {
  name: string;
  rows: number;
  /** The checksum of its rows in the target. The source has the same. */
  checksum: string;
  /** Rows with a text that PostgreSQL cannot store: a NUL was replaced with U+FFFD. */
  altered: number;
}

/** Callbacks of a copy. */
export interface CopyOptions {
  /** Called after each batch of a table. */
  onProgress?: (table: string, rows: number, total: number) => void;
  /** Run in the transaction of the target after all rows were copied and compared. */
  finish?: (to: Transaction) => Promise<void>;
}

/**
 * Copies all rows of the embedded database, with their ids, into an empty PostgreSQL database with the same schema.
 * It is one transaction: if it is interrupted at any point, the target is still empty. The source is read in one
 * transaction too, so nobody writes in the meantime. Before the commit, every table is read back and compared.
 * @throws {CopyTargetError} @throws {CopyMismatchError} @throws {DatabaseUnavailableError}
 */
export async function copyDatabase(
  source: Pick<Database, 'transaction'>,
  target: Pick<Database, 'transaction' | 'reader'>,
  { onProgress = () => {}, finish = async () => {} }: CopyOptions = {},
): Promise<CopiedTable[]> {
  return await source.transaction(async (from) => {
    const tables = await readSqliteTables(from);
    return await target.transaction(
      async (to) => {
        await assertSameMigrations(from, to);
        await lockTables(to, tables, target);
        await assertEmpty(to, tables);
        const copied: CopiedTable[] = [];
        for (const table of tables) copied.push(await copyTable(from, to, table, onProgress));
        // The marker of an earlier copy is about the source.
        await removeCopiedMarker(to);
        await finish(to);
        return copied;
      },
      { isLong: true, mayIdle: true },
    );
  });
}

/** Locks the tables of the target, so that a service that was started on it cannot write before the copy is complete. */
async function lockTables(
  to: Transaction,
  tables: readonly SqliteTable[],
  { reader }: Pick<Database, 'reader'>,
): Promise<void> {
  await using watch = new BlockerWatch(reader);
  const [session] = await to.all<{ pid: number }>('select pg_backend_pid() as pid');
  watch.watch(session!.pid);
  try {
    await to.run(`lock table ${tables.map(({ name }) => name).join(', ')} in exclusive mode`);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new DatabaseUnavailableError(
      `the target of the copy cannot be locked while its tables are used by ${describeBlockers(watch.last)}; an earlier ` +
        'copy may still be running: run the command again when that has ended',
      { cause: error },
    );
  }
}

async function assertEmpty(to: Transaction, tables: readonly SqliteTable[]): Promise<void> {
  const occupied: string[] = [];
  for (const { name } of tables) {
    const [row] = await to.all<{ count: number }>(`select count(*) as count from ${name}`);
    if (row !== undefined && row.count > 0) occupied.push(`${name} (${row.count})`);
  }
  if (occupied.length > 0) {
    throw new CopyTargetError(
      `the target is not empty: it has rows in ${occupied.join(', ')}. Give a new database, on which neither a ` +
        'service nor a command has run',
    );
  }
}

/** Refuses to copy if a release of another schema, such as a later one, has migrated one of the databases. */
async function assertSameMigrations(from: Transaction, to: Transaction): Promise<void> {
  const [sent, found] = [await readMigrations(from), await readMigrations(to)];
  const onlySent = sent.find((migration) => !found.includes(migration));
  if (onlySent !== undefined) {
    throw new CopyTargetError(
      `the embedded database has migration ${onlySent}, which another release applied, probably a later one. Copy it with ` +
        'that release, into a new database',
    );
  }
  const onlyFound = found.find((migration) => !sent.includes(migration));
  if (onlyFound !== undefined) {
    throw new CopyTargetError(
      `the target has migration ${onlyFound}, which another release applied, and the embedded database does not have it. ` +
        'Give a new database',
    );
  }
}

async function readMigrations(tx: Transaction): Promise<string[]> {
  const rows = await tx.all<{ number: number; name: string }>(
    'select number, name from migrations order by number',
  );
  return rows.map(({ number, name }) => `${number} (${name})`);
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
    // References to rows of the same table are set last, because those rows may follow.
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

/** The SQL for the size of a row. */
function bytesOf({ columns }: SqliteTable, dialect: Transaction['dialect']): string {
  // PostgreSQL knows the bytes of texts alone.
  const cast = dialect === 'postgres' ? '::text' : '';
  return columns.map((column) => `coalesce(octet_length(${column}${cast}), 0)`).join(' + ');
}

/**
 * The rows of a table in their order: the small ones of a batch together, then each large one. Each statement reads one
 * batch at most, because nothing is sent to the target in the meantime.
 */
async function* batchesOf(from: Transaction, table: SqliteTable): AsyncGenerator<SqlValue[][]> {
  const { name, columns } = table;
  const bytes = bytesOf(table, from.dialect);
  const read = async (condition: string, ...values: SqlValue[]) => {
    const rows = await from.all<Record<string, SqlValue>>(
      `select ${columns.join(', ')} from ${name} where ${condition} order by rowid`,
      ...values,
    );
    return rows.map((row) => columns.map((column) => row[column] ?? null));
  };
  let after = Number.MIN_SAFE_INTEGER;
  let places: { place: number; bytes: number }[];
  do {
    places = await from.all<{ place: number; bytes: number }>(
      `select rowid as place, ${bytes} as bytes from ${name} where rowid > ? order by rowid limit ${BATCH_ROWS}`,
      after,
    );
    const large = places.filter((row) => row.bytes > LARGE_ROW_BYTES);
    const last = places.at(-1)?.place ?? after;
    if (large.length < places.length)
      yield await read(`rowid > ? and rowid <= ? and ${bytes} <= ${LARGE_ROW_BYTES}`, after, last);
    for (const { place } of large) yield await read('rowid = ?', place);
    after = last;
  } while (places.length === BATCH_ROWS);
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

/** New rows get ids that no row ever had, not even a deleted one. */
async function continueNumbers(to: Transaction, { name, key }: SqliteTable, last: number): Promise<void> {
  const [column] = key;
  if (column === undefined || last < 1) return;
  await to.all('select setval(pg_get_serial_sequence(?, ?), ?)', name, column, last);
}

async function digestOf(to: Transaction, table: SqliteTable): Promise<RowDigest> {
  const { name, columns } = table;
  const digest = new RowDigest();
  const bytes = bytesOf(table, to.dialect);
  for (const { condition, batchRows } of [
    { condition: `${bytes} <= ${LARGE_ROW_BYTES}`, batchRows: BATCH_ROWS },
    { condition: `${bytes} > ${LARGE_ROW_BYTES}`, batchRows: 1 },
  ]) {
    // One cursor per table and pass, because their columns differ.
    const cursor = `copied_${name}_${batchRows}`;
    await to.run(
      `declare ${cursor} no scroll cursor for select ${columns.join(', ')} from ${name} where ${condition}`,
    );
    let rows: Record<string, SqlValue>[];
    do {
      rows = await to.all<Record<string, SqlValue>>(`fetch ${batchRows} from ${cursor}`);
      for (const row of rows) digest.add(columns.map((column) => row[column] ?? null));
    } while (rows.length === batchRows);
    await to.run(`close ${cursor}`);
  }
  return digest;
}
