import path from 'node:path';
import type { Database, SqlValue } from '../../src/database/database.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import type { Settings } from '../../src/settings/settings-table.ts';
import { createPostgresDatabase, databaseUrlOf, ON_POSTGRES } from './postgres.ts';
import { writeMigratedDatabase } from './sqlite-template.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A database of a test, on the engine of the test run. */
export interface TestDatabase extends AsyncDisposable {
  readonly database: Database;
  /** Opens it once more, like another process, which sees committed changes and may block others. */
  open(): Database;
}

/** How a database is opened. */
export interface TestDatabaseOptions {
  /** Without the service's schema. */
  empty?: boolean;
  /** Settings of PostgreSQL connections, by name; SQLite has none. */
  postgresSettings?: Readonly<Record<string, string>>;
}

/** Opens a new database. */
export async function openTestDatabase({
  empty = false,
  postgresSettings = {},
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  await using stack = new AsyncDisposableStack();
  const open = ON_POSTGRES
    ? await onPostgres(stack, { empty, postgresSettings })
    : await onSqlite(stack, empty);
  const database = stack.use(open());
  const opened = stack.move();
  return {
    database,
    open: () => opened.use(open()),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Opens the database of a data folder while the service is running, as the command line does. */
export async function openDatabaseOf(dataDir: string): Promise<Database> {
  return openDatabaseAt({ data_dir: dataDir, database_url: await databaseUrlOf(dataDir) });
}

/** Opens the database that the settings specify. */
export function openDatabaseAt({
  data_dir,
  database_url,
}: Pick<Settings, 'data_dir' | 'database_url'>): Database {
  return database_url === null
    ? new SqliteDatabase(path.join(data_dir, 'coursewire.db'))
    : new PostgresDatabase(database_url, { connections: 3 });
}

/** How many rows a table has. */
export async function countRows({ reader }: Pick<Database, 'reader'>, table: string): Promise<number> {
  const [row] = await reader.all<{ count: number }>(`select count(*) as count from ${table}`);
  return Number(row!.count);
}

/** Runs a statement in the database of a running service, and returns its rows. */
export async function runSql<Row>(dataDir: string, sql: string, ...values: SqlValue[]): Promise<Row[]> {
  await using database = await openDatabaseOf(dataDir);
  return await database.transaction((tx) => tx.all<Row>(sql, ...values));
}

/** Makes every change of a kind to rows of a table fail, until the result is disposed of. */
export async function breakTable(
  database: Database,
  table: string,
  change: 'insert' | 'update' | 'delete',
): Promise<AsyncDisposable> {
  const name = `broken_${change}_${table}`;
  const trigger = `create trigger ${name} before ${change} on ${table} for each row`;
  await database.transaction(async (tx) => {
    if (tx.dialect === 'sqlite') {
      await tx.run(`${trigger} begin select raise(abort, 'broken'); end`);
      return;
    }
    await tx.run(
      `create function ${name}() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`,
    );
    await tx.run(`${trigger} execute function ${name}()`);
  });
  const restore = async () => {
    await database.transaction((tx) =>
      tx.run(tx.dialect === 'sqlite' ? `drop trigger ${name}` : `drop function ${name}() cascade`),
    );
  };
  return { [Symbol.asyncDispose]: restore };
}

async function onPostgres(
  stack: AsyncDisposableStack,
  { empty, postgresSettings }: Required<TestDatabaseOptions>,
): Promise<() => Database> {
  const { url } = stack.use(await createPostgresDatabase({ empty }));
  const withSettings = new URL(url);
  const settings = Object.entries(postgresSettings).map(([name, value]) => `-c ${name}=${value}`);
  if (settings.length > 0) withSettings.searchParams.set('options', settings.join(' '));
  return () => new PostgresDatabase(withSettings.href);
}

async function onSqlite(stack: AsyncDisposableStack, empty: boolean): Promise<() => Database> {
  const folder = stack.use(temporaryFolder());
  const file = path.join(folder.path, 'test.db');
  if (!empty) await writeMigratedDatabase(file);
  return () => new SqliteDatabase(file);
}
