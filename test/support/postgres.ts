import { createHash, randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { Client } from 'pg';
import { migrate } from '../../src/database/migrate.ts';
import { PostgresDatabase } from '../../src/database/postgres-database.ts';

/** Names the server on which tests run; they run on SQLite when it is not set. */
export const SERVER_VARIABLE = 'COURSEWIRE_TEST_POSTGRES';

const TEMPLATE = 'coursewire_template';
const SERVER_URL = process.env[SERVER_VARIABLE] ?? '';

/** Whether this run is on PostgreSQL. */
export const ON_POSTGRES = SERVER_URL !== '';

/** Databases that this process made and nobody has dropped. */
const left = new Set<string>();
if (ON_POSTGRES) after(() => dropAll([...left]));

/** Makes the migrated database that tests' databases are copies of. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await onServer(serverUrl, (client) => client.query(`create database ${TEMPLATE}`));
  await using database = new PostgresDatabase(urlOf(serverUrl, TEMPLATE));
  await migrate(database, Date.now);
}

/** A new database, with the service's schema unless it is to be empty; dropped when disposed of. */
export async function createPostgresDatabase({
  empty = false,
  name = `test_${randomUUID().replaceAll('-', '')}`,
} = {}): Promise<{ url: string } & AsyncDisposable> {
  left.add(name);
  await onServer(SERVER_URL, (client) =>
    client.query(`create database ${name} template ${empty ? 'template0' : TEMPLATE}`),
  );
  return { url: urlOf(SERVER_URL, name), [Symbol.asyncDispose]: () => dropAll([name]) };
}

/** The database that goes with a data folder, made when there is none; `null` on SQLite, where it lies in the folder. */
export async function databaseUrlOf(dataDir: string): Promise<string | null> {
  if (!ON_POSTGRES) return null;
  const name = nameOf(dataDir);
  const { rowCount } = await onServer(SERVER_URL, (client) =>
    client.query('select 1 from pg_database where datname = $1', [name]),
  );
  if (rowCount === 0) await createPostgresDatabase({ name });
  return urlOf(SERVER_URL, name);
}

/** Drops the database that goes with a data folder. */
export async function dropDatabaseOf(dataDir: string): Promise<void> {
  if (ON_POSTGRES) await dropAll([nameOf(dataDir)]);
}

function nameOf(dataDir: string): string {
  return `folder_${createHash('sha1').update(dataDir).digest('hex')}`;
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
