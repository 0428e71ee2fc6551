import { CopiedDatabaseError, describeCopied, readCopiedMarker } from './database/copying/copied-marker.ts';
import {
  type DataFolder,
  DataFolderError,
  dataFolderPaths,
  lacksDatabase,
  lockDataFolder,
  openDataFolder,
} from './database/data-folder.ts';
import type { Database, Reader } from './database/database.ts';
import { installationOf } from './database/installation.ts';
import { type BlockedAttempt, MIGRATIONS, migrate, withAdvice } from './database/migrate.ts';
import { PostgresDatabase } from './database/postgres/postgres-database.ts';
import { SqliteDatabase } from './database/sqlite/sqlite-database.ts';
import { assertFolderUnused, assertNoInstanceRuns } from './housekeeping/migration-guards.ts';
import type { CredentialsCipher } from './secrets/credentials-cipher.ts';
import { readSecretUse, type SecretUse } from './secrets/secret-check.ts';
import { openAuthSecrets } from './secrets/stored-secret.ts';
import { contentPlaceOf } from './settings/content-place.ts';
import type { Settings } from './settings/settings-table.ts';

/** What every command needs: the data folder, the migrated database and the verified secret. */
export interface Storage extends AsyncDisposable {
  folder: DataFolder;
  database: Database;
  authSecrets: readonly [string, ...string[]];
  cipher: CredentialsCipher;
  /** How many stored values each secret has encrypted. */
  secretUse: SecretUse;
  /** The migrations that this startup applied. */
  migrated: string[];
}

/** The PostgreSQL database of a command has no tables of this service. */
class UnusedDatabaseError extends Error {
  override name = 'UnusedDatabaseError';
}

/** How a command uses the storage. */
export interface CommandUse {
  /** Whether it is useful on a database that was copied to PostgreSQL. There, other commands and services are refused. */
  readsOnly: boolean;
  /** Receives a remark for the person who runs the command, without its last full stop. */
  remark: (text: string) => void;
}

/** How the storage is opened. */
export interface StorageOptions {
  /** No other process may serve from the embedded database. */
  exclusive: boolean;
  /** Whether the database may be new. */
  creates?: boolean;
  /** Null for a service. */
  command?: CommandUse | null;
  now: () => number;
  /** Called when a migration must wait for others that use the tables. */
  onBlocked?: (attempt: BlockedAttempt) => void;
  /** Ends that wait: opening then fails with its reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens the storage that the settings name. With `exclusive`, no other process may serve from the embedded database.
 * The secret is checked before anything is written. Unless `creates`, the database must have been used before: otherwise, a
 * command with the wrong `data_dir` or `database_url` would work on a new database and report success. For a `command`, a new database is
 * remarked on, and pending migrations are applied only if no service is using the database: it would be of an earlier release.
 * @throws {DataFolderError} @throws {CopiedDatabaseError} @throws {UnsuitableServerError} @throws {UnusedDatabaseError} @throws {NewerDatabaseError}
 * @throws {PendingMigrationError} @throws {WrongSecretError} @throws {LostSecretError} @throws {AuthSecretError} @throws {DatabaseUnavailableError}
 */
export async function openStorage(
  settings: Settings,
  {
    exclusive,
    creates = true,
    command = null,
    now,
    onBlocked = ({ text }) => command?.remark(text),
    signal,
  }: StorageOptions,
): Promise<Storage> {
  await using stack = new AsyncDisposableStack();
  const folder = dataFolderPaths(settings.data_dir);
  const embedded = settings.database_url === null;
  const isNew = embedded && lacksDatabase(folder);
  if (isNew && !creates) {
    throw new DataFolderError(`there is no database in ${folder.path}; is data_dir right?`);
  }
  const place = contentPlaceOf(settings);
  const use = { holdsDatabase: embedded, contentStore: place?.kind === 'folder' ? place.folder : null };
  if (embedded) openDataFolder(settings.data_dir, use);
  if (isNew) command?.remark(`a new database was created in ${folder.path}, because there was none`);
  if (embedded && exclusive) stack.use(lockDataFolder(folder));
  const database = stack.use(await openDatabase(settings, folder, exclusive));
  if (embedded) await assertNotCopied(database, folder, command);
  else if (!creates) await assertUsed(database.reader);
  const secrets = await openAuthSecrets(database, {
    secretFile: folder.secretFile,
    configured: settings.webhooks_auth_secret,
    former: settings.webhooks_auth_secret_previous,
  }).catch((error: unknown) => {
    throw withAdvice(error, 'the database cannot be read');
  });
  if (!embedded) openDataFolder(settings.data_dir, use);
  const migrated = await migrate(database, now, MIGRATIONS, {
    guard: async (tx, pending) => {
      if (command === null) return;
      if (!embedded) await assertNoInstanceRuns(tx, pending, database.clock.now());
      else if (!exclusive) assertFolderUnused(folder, pending);
    },
    onBlocked,
    signal,
  });
  const { authSecrets, cipher } = await secrets.keep();
  // Every backup and copy has it, so that a restored one still owns the queues and the content_store.
  await installationOf(database);
  const secretUse = await readSecretUse(database.reader, cipher);
  const opened = stack.move();
  return {
    folder,
    database,
    authSecrets,
    cipher,
    secretUse,
    migrated,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function openDatabase(settings: Settings, folder: DataFolder, exclusive: boolean): Promise<Database> {
  if (settings.database_url === null)
    return new SqliteDatabase(folder.databaseFile, { rewritesLog: exclusive });
  await using stack = new AsyncDisposableStack();
  const database = stack.use(
    new PostgresDatabase(settings.database_url, { connections: settings.database_connections }),
  );
  await database.assertSuitable();
  stack.move();
  return database;
}

/** @throws {UnusedDatabaseError} */
async function assertUsed(reader: Reader): Promise<void> {
  const tables = await reader.all("select 1 as found where to_regclass('api_clients') is not null");
  if (tables.length > 0) return;
  throw new UnusedDatabaseError(
    'the database of database_url has no tables of this service; is database_url right?',
  );
}

/** @throws {CopiedDatabaseError} */
async function assertNotCopied(
  { reader }: Database,
  { path }: DataFolder,
  command: CommandUse | null,
): Promise<void> {
  const marker = await readCopiedMarker(reader);
  if (marker === null) return;
  const said = `the database in ${path} ${describeCopied(marker)}`;
  if (command?.readsOnly) {
    command.remark(`${said}. It has no later changes. Set database_url to use the copy`);
    return;
  }
  const danger =
    command === null
      ? 'A service on it would send the waiting messages a second time'
      : 'A change in it would not be in the copy';
  throw new CopiedDatabaseError(
    `${said}. ${danger}. Set database_url to use the copy. To return to this database, run "coursewire database return"`,
  );
}
