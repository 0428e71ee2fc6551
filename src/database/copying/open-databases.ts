import {
  DataFolderError,
  dataFolderPaths,
  lacksDatabase,
  lockDataFolder,
  openDataFolder,
} from '../data-folder.ts';
import type { Database } from '../database.ts';
import { installationOf } from '../installation.ts';
import { MIGRATIONS, type MigrationGuard, migrate } from '../migrate.ts';
import { PostgresDatabase } from '../postgres/postgres-database.ts';
import { SqliteDatabase } from '../sqlite/sqlite-database.ts';

/** One for the transaction, the others for signals and reads. */
const CONNECTIONS = 3;

/** The two databases of a copy, both with the schema of this program. */
export interface CopyDatabases extends AsyncDisposable {
  source: Database;
  target: Database;
}

/**
 * Opens the embedded database of a data folder for this process alone, and a PostgreSQL database.
 * @param guard refuses to migrate a target that a service is using; its `now` is the time of the target's clock
 * @param remark receives remarks for the person who copies, without their last full stop
 * @throws {DataFolderError} if the database does not exist, or while a service is running on it
 * @throws {UnsuitableServerError} @throws {NewerDatabaseError} @throws {DatabaseUnavailableError} and what `guard` throws
 */
export async function openCopyDatabases(
  dataDir: string,
  targetUrl: string,
  {
    now,
    guard,
    remark,
  }: {
    now: () => number;
    guard: (...args: [...Parameters<MigrationGuard>, now: number]) => Promise<void>;
    remark: (text: string) => void;
  },
): Promise<CopyDatabases> {
  await using stack = new AsyncDisposableStack();
  const { source } = stack.use(await openSourceDatabase(dataDir));
  const target = stack.use(new PostgresDatabase(targetUrl, { connections: CONNECTIONS }));
  await target.assertSuitable();
  await migrate(target, now, MIGRATIONS, {
    guard: (tx, pending) => guard(tx, pending, target.clock.now()),
    onBlocked: ({ text }) => remark(text),
    called: 'the target of the copy',
    adviceIfNewer: 'Give a new database, or copy with the newer release',
  });
  await migrate(source, now, MIGRATIONS, {
    called: 'the embedded database',
    adviceIfNewer: 'Copy it with the newer release, into a new database',
  });
  // An earlier release may not have generated it. Both databases get the same.
  await installationOf(source);
  const opened = stack.move();
  return { source, target, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/**
 * Opens the embedded database of a data folder for this process alone, without migrating it.
 * @throws {DataFolderError} if the database does not exist, or while a service is running on it
 */
export async function openSourceDatabase(
  dataDir: string,
): Promise<Pick<CopyDatabases, 'source'> & AsyncDisposable> {
  const places = dataFolderPaths(dataDir);
  // Checked first, because opening would create an empty database.
  if (lacksDatabase(places)) {
    throw new DataFolderError(
      `there is no embedded database in the data folder ${places.path}; is data_dir right?`,
    );
  }
  await using stack = new AsyncDisposableStack();
  const folder = openDataFolder(dataDir);
  stack.use(lockDataFolder(folder));
  const source = stack.use(new SqliteDatabase(folder.databaseFile));
  const opened = stack.move();
  return { source, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
