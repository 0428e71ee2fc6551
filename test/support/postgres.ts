import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { Client } from 'pg';
import { migrate } from '../../src/database/migrate.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { emptyDatabase, schemaOf } from './postgres-emptying.ts';

/** Names the server on which tests run; they run on SQLite when it is not set. */
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
  /** As the template left it. */
  schema: string;
}

/** Databases that this process made and nobody has dropped. */
const left = new Set<string>();
/** Databases whose tests are over, empty again: making one takes fifty times as long as emptying it. */
const free: Kept[] = [];
/** Databases that go with data folders. */
const ofFolders = new Map<string, Promise<PostgresTestDatabase>>();
if (ON_POSTGRES) after(() => dropAll([...left]));

/** Makes the migrated database that tests' databases are copies of. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await onServer(serverUrl, (client) => client.query(`create database ${TEMPLATE}`));
  await using database = new PostgresDatabase(urlOf(serverUrl, TEMPLATE));
  await migrate(database, Date.now);
}

/** A database without rows, with the service's schema unless it is to be empty; somebody else's when disposed of. */
export async function createPostgresDatabase({ empty = false } = {}): Promise<PostgresTestDatabase> {
  if (!empty) {
    const kept = free.pop() ?? (await makeFromTemplate());
    return { url: kept.url, [Symbol.asyncDispose]: () => giveBack(kept) };
  }
  const name = await make('template0');
  return { url: urlOf(SERVER_URL, name), [Symbol.asyncDispose]: () => dropAll([name]) };
}

/** The database that goes with a data folder, made when there is none; `null` on SQLite, where it lies in the folder. */
export async function databaseUrlOf(dataDir: string): Promise<string | null> {
  if (!ON_POSTGRES) return null;
  const database = ofFolders.get(dataDir) ?? createPostgresDatabase();
  ofFolders.set(dataDir, database);
  return (await database).url;
}

/** Has a data folder use the database of a server that the test started itself. */
export function setDatabaseUrlOf(dataDir: string, url: string): void {
  ofFolders.set(dataDir, Promise.resolve({ url, [Symbol.asyncDispose]: async () => {} }));
}

/** Gives up the database that goes with a data folder. */
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

/** Keeps a database for the next test; drops one in which there is more to undo than rows. */
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
  const client = new Client(serverUrl);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
