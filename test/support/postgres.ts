import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { migrate } from '../../src/database/migrate.ts';
import { DEFAULT_TIMEOUTS } from '../../src/database/postgres/postgres-connections.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { atEnd } from './at-end.ts';
import { connectTo } from './postgres-client.ts';
import { emptyDatabase, schemaOf } from './postgres-emptying.ts';

/** The variable with the URL of the server for tests; if it is not set, they run on SQLite. */
export const SERVER_VARIABLE = 'COURSEWIRE_TEST_POSTGRES';

const TEMPLATE = 'coursewire_template';
const SERVER_URL = process.env[SERVER_VARIABLE] ?? '';

/** Whether this run is on PostgreSQL. */
export const ON_POSTGRES = SERVER_URL !== '';

/** A new database of a test. */
export interface PostgresTestDatabase extends AsyncDisposable {
  readonly url: string;
}

interface Kept {
  url: string;
  /** The schema of the template. */
  schema: string;
}

/** Databases that this process has created and not yet dropped. */
const left = new Set<string>();
/** Emptied databases of finished tests: creating one takes fifty times as long as emptying one. */
const free: Kept[] = [];
/** Databases of data folders. */
const ofFolders = new Map<string, Promise<PostgresTestDatabase>>();
if (ON_POSTGRES) atEnd(() => dropAll([...left]));

/** The time limits of a service outside of tests. */
export const SERVICE_TIMEOUTS = { ...DEFAULT_TIMEOUTS };
// A busy machine may pause a test for longer than these two allow, and the test would blame the program. A transaction that
// hangs still ends before others give up waiting for its locks.
if (ON_POSTGRES) Object.assign(DEFAULT_TIMEOUTS, { connectMs: 20_000, idleInTransactionMs: 9_000 });

/** Creates the migrated database that is copied for tests. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await onServer(serverUrl, (client) => client.query(`create database ${TEMPLATE}`));
  await using database = new PostgresDatabase(urlOf(serverUrl, TEMPLATE));
  await migrate(database, Date.now);
}

/** A database without rows, by default with the service's schema. Another test reuses it after disposal. */
export async function createPostgresDatabase({ empty = false } = {}): Promise<PostgresTestDatabase> {
  if (!empty) {
    const kept = free.pop() ?? (await makeFromTemplate());
    return { url: kept.url, [Symbol.asyncDispose]: () => giveBack(kept) };
  }
  const name = await make('template0');
  return { url: urlOf(SERVER_URL, name), [Symbol.asyncDispose]: () => dropAll([name]) };
}

/** The database of a data folder, created if there is none; `null` on SQLite, which stores it in the folder. */
export async function databaseUrlOf(dataDir: string): Promise<string | null> {
  if (!ON_POSTGRES) return null;
  const database = ofFolders.get(dataDir) ?? createPostgresDatabase();
  ofFolders.set(dataDir, database);
  return (await database).url;
}

/** Makes a data folder use the database of a server that the test started itself. */
export function setDatabaseUrlOf(dataDir: string, url: string): void {
  ofFolders.set(dataDir, Promise.resolve({ url, [Symbol.asyncDispose]: async () => {} }));
}

/** Releases the database of a data folder. */
export async function dropDatabaseOf(dataDir: string): Promise<void> {
  const database = await ofFolders.get(dataDir);
  ofFolders.delete(dataDir);
  await database?.[Symbol.asyncDispose]();
}

async function makeFromTemplate(): Promise<Kept> {
  const url = urlOf(SERVER_URL, await make(TEMPLATE));
  return { url, schema: await onServer(url, schemaOf) };
}

async function make(template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  left.add(name);
  await onServer(SERVER_URL, (client) => client.query(`create database ${name} template ${template}`));
  return name;
}

/** Keeps a database for the next test; drops it if its schema has changed. */
async function giveBack(kept: Kept): Promise<void> {
  const isAsBefore = await onServer(kept.url, (client) => emptyDatabase(client, kept.schema)).catch(
    () => false,
  );
  if (isAsBefore) free.push(kept);
  else await dropAll([new URL(kept.url).pathname.slice(1)]);
}

async function dropAll(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await onServer(SERVER_URL, async (client) => {
    for (const name of names) {
      await client.query(`drop database if exists ${name} (force)`);
      left.delete(name);
    }
  });
}

async function onServer<T>(serverUrl: string, use: (client: Client) => Promise<T>): Promise<T> {
  await using client = await connectTo(serverUrl);
  return await use(client);
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
