import { Client } from 'pg';
import { startPostgresServer } from '../test/support/postgres-server.ts';
import type { BenchDatabase } from './bench-database.ts';
import { EXAMPLE_LABEL, exampleMessage } from './example-message.ts';
import type { LineState } from './line-state.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import { BLOCKED_FOR_MS, roundsOf } from './prepared-queue.ts';

/** Enables the count of statements. The server otherwise has its default settings and syncs to disk. */
const FLAGS = ['shared_preload_libraries=pg_stat_statements', 'shared_buffers=256MB'];

/**
 * PostgreSQL: the given server, on which databases can be created, or a server that is started for the run.
 * Statements are counted if the server has `pg_stat_statements`.
 */
export async function postgresBenchDatabase(givenUrl: string | null): Promise<BenchDatabase> {
  await using stack = new AsyncDisposableStack();
  const serverUrl = givenUrl ?? stack.use(await startPostgresServer({ isDurable: true, flags: FLAGS })).url;
  const about = await withClient(serverUrl, aboutServer);
  const made: string[] = [];
  stack.defer(() =>
    withClient(serverUrl, async (client) => {
      for (const name of made) await client.query(`drop database if exists ${name} (force)`);
    }),
  );
  const kept = stack.move();
  return {
    name: 'postgres',
    about,
    async create() {
      const name = `coursewire_bench_${process.pid}_${made.length + 1}`;
      made.push(name);
      await withClient(serverUrl, (client) => client.query(`create database ${name} template template0`));
      const url = new URL(serverUrl);
      url.pathname = `/${name}`;
      return url.href;
    },
    fill: (folder, { messages, state, targetUrl }) =>
      withClient(urlOf(folder), async (client) => {
        await client.query('set synchronous_commit = off');
        await client.query('create temp table filled (id bigint primary key, body text not null)');
        const bodies = folder.lineIds.map((id) => exampleMessage({ id, target_url: targetUrl }));
        await client.query('insert into filled select * from unnest($1::bigint[], $2::text[])', [
          folder.lineIds,
          bodies,
        ]);
        const rounds = roundsOf(folder, messages);
        await client.query(
          `insert into queue_messages (line_id, message_id, label, stored_body, enqueued_at)
           select filled.id, format('019b0000-%s-7%s-8000-%s', lpad(to_hex(round >> 12), 4, '0'),
             lpad(to_hex(round & 4095), 3, '0'), lpad(to_hex(filled.id), 12, '0')), $2, filled.body, $3
           from generate_series(1, $1::int) as round cross join filled order by round, filled.id`,
          [rounds, EXAMPLE_LABEL, Date.now()],
        );
        // The lines of other webhooks had messages once, as is usual for older webhooks. A change of a webhook, such as
        // the creation of its signing secret, locked its line and so created it.
        await client.query(
          `insert into queue_lines (line_id, pending, available_at, lease_token, receive_count)
           select id, $2::bigint, $4::bigint, null::text, 0 from unnest($1::bigint[]) as id
           union all select id, 0, null, null, 0 from unnest($3::bigint[]) as id
           on conflict (line_id) do update set pending = excluded.pending, available_at = excluded.available_at`,
          [folder.lineIds, rounds, folder.otherIds, Date.now()],
        );
        await setLines(client, folder, state);
        // Otherwise, the server would clean up and write during the next measurement.
        await client.query('vacuum analyze');
        await client.query('checkpoint');
      }),
    setLines: (folder, state) => withClient(urlOf(folder), (client) => setLines(client, folder, state)),
    count: (folder) => withClient(urlOf(folder), count),
    delivered: (folder) =>
      withClient(urlOf(folder), async (client) => {
        const { rows } = await client.query<{ count: string }>('select count(*) as count from deliveries');
        return Number(rows[0]?.count);
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function setLines(client: Client, folder: PreparedFolder, state: LineState): Promise<void> {
  await client.query(
    'update queue_lines set available_at = $1, receive_count = $2 where pending > 0 and line_id = any($3)',
    [state === 'due' ? Date.now() : Date.now() + BLOCKED_FOR_MS, state === 'due' ? 0 : 1, folder.lineIds],
  );
}

async function count(client: Client): Promise<{ statements: number; deliveries: number } | null> {
  const extension = 'pg_stat_statements';
  const { rowCount } = await client.query('select 1 from pg_available_extensions where name = $1', [
    extension,
  ]);
  if (rowCount === 0) return null;
  try {
    await client.query(`create extension if not exists ${extension}`);
    const { rows } = await client.query<{ statements: string; deliveries: string }>(
      `select (select coalesce(sum(calls), 0) from ${extension} join pg_database on pg_database.oid = dbid
         where datname = current_database()) as statements, (select count(*) from deliveries) as deliveries`,
    );
    return { statements: Number(rows[0]?.statements), deliveries: Number(rows[0]?.deliveries) };
  } catch {
    // The extension is not loaded, or the user may not read it.
    return null;
  }
}

async function aboutServer(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: string; fsync: string; commit: string }>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commit`,
  );
  const [row] = rows;
  return `PostgreSQL ${row?.version}, fsync ${row?.fsync}, synchronous_commit ${row?.commit}`;
}

function urlOf({ databaseUrl }: PreparedFolder): string {
  if (databaseUrl === null) throw new Error('the folder was prepared for another database');
  return databaseUrl;
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
