import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { writeMigratedDatabase } from './sqlite-template.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** An embedded database of a test, in its own folder; for tests of that engine alone. */
export interface SqliteFile extends AsyncDisposable {
  readonly database: SqliteDatabase;
  readonly file: string;
  /** A connection like that of another process, which sees committed changes and may block others. */
  connect(): DatabaseSync;
}

/** Opens a new embedded database, with the service's schema unless an empty one is requested. */
export async function openSqliteFile({ empty = false } = {}): Promise<SqliteFile> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const file = path.join(folder.path, 'test.db');
  if (!empty) await writeMigratedDatabase(file);
  const database = stack.use(new SqliteDatabase(file));
  const opened = stack.move();
  return {
    database,
    file,
    connect: () => {
      const connection = new DatabaseSync(file);
      opened.defer(() => {
        if (connection.isOpen) connection.close();
      });
      return connection;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
