import type { Client } from 'pg';
import { DEADLINE_MS } from './deadline.ts';

/** Everything in a database, besides rows, that tests may have changed, as one text. */
const SCHEMA = `
  select coalesce(string_agg(line, ';' order by line), '') as schema from (
    select format('%s.%s %s %s', attrelid::regclass, attname, atttypid::regtype, attnotnull) as line
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
    union all select format('%s %s %s', relname, relkind, reloptions) from pg_class
      where relnamespace = 'public'::regnamespace
    union all select format('%s %s', tgrelid::regclass, tgname) from pg_trigger where not tgisinternal
    union all select proname from pg_proc where pronamespace = 'public'::regnamespace
    union all select conname from pg_constraint where connamespace = 'public'::regnamespace
    union all select format('%s', setconfig) from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database())
    union all select format('%s %s %s', number, name, breaking) from public.migrations
  ) as lines`;

/** The schema with which {@link emptyDatabase} compares a database. */
export async function schemaOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(SCHEMA);
  return rows[0]!.schema;
}

/**
 * Ends all other connections, removes all rows except the record of migrations, and resets ids to 1. False
 * if the schema has changed, so that the database cannot be reused.
 */
export async function emptyDatabase(client: Client, schema: string): Promise<boolean> {
  await client.query(`
    select pg_terminate_backend(pid, ${DEADLINE_MS}) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`);
  if ((await schemaOf(client)) !== schema) return false;
  const { rows } = await client.query<{ name: string }>(`
    select quote_ident(relname) as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migrations'`);
  // As a replica, the server does not check foreign keys, so any order works.
  await client.query(`
    begin;
    set local session_replication_role = replica;
    ${rows.map(({ name }) => `delete from ${name};`).join('\n')}
    select setval(seqrelid, seqstart, false) from pg_sequence;
    commit`);
  return true;
}
