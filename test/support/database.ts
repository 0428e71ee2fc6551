import path from 'node:path';
import type { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { PostgresDatabase } from '../../src/database/postgres-database.ts';
import { SqliteDatabase } from '../../src/database/sqlite-database.ts';
import { createPostgresDatabase, databaseUrlOf, ON_POSTGRES } from './postgres.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A database of a test, on the engine that the run is about. */
export interface TestDatabase extends AsyncDisposable {
  readonly database: Database;
  /** Opens it once more, as another process does: sees what is committed, and may stand in the way. */
  open(): Database;
}

/** Opens a new database, with the service's schema unless it is to be empty. */
export async function openTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  await using stack = new AsyncDisposableStack();
  const open = ON_POSTGRES ? await onPostgres(stack, empty) : onSqlite(stack);
  const database = stack.use(open());
  if (!empty && !ON_POSTGRES) await migrate(database, Date.now);
  const opened = stack.move();
  return {
    database,
    open: () => opened.use(open()),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Opens the database of a service beside it, as the command line does. */
export async function openDatabaseOf(dataDir: string): Promise<Database> {
  const url = await databaseUrlOf(dataDir);
  return url === null
    ? new SqliteDatabase(path.join(dataDir, 'coursewire.db'))
    : new PostgresDatabase(url, { connections: 3 });
}

async function onPostgres(stack: AsyncDisposableStack, empty: boolean): Promise<() => Database> {
  const { url } = stack.use(await createPostgresDatabase({ empty }));
  return () => new PostgresDatabase(url);
}

function onSqlite(stack: AsyncDisposableStack): () => Database {
  const folder = stack.use(temporaryFolder());
  const file = path.join(folder.path, 'test.db');
  return () => new SqliteDatabase(file);
}
