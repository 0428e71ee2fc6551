import type { Dialect } from './database.ts';

/** The SQL types that a column of a recordset can have, in PostgreSQL's words. */
export type RecordsetType = 'bigint' | 'text';

/**
 * A table expression over one parameter with a JSON array of objects, so that one statement handles a whole batch
 * on either engine. `columns` maps member names to types; names are constants of the code.
 *
 * Join tables to it with `cross join … where`. SQLite does not know how short the array is and may scan the whole
 * table first (16 ms instead of 6 µs to match an event among 10,000 webhooks), but it keeps the order of a cross
 * join.
 */
export function recordset(dialect: Dialect, alias: string, columns: Record<string, RecordsetType>): string {
  const names = Object.keys(columns);
  if (dialect === 'postgres') {
    const typed = names.map((name) => `${name} ${columns[name]}`).join(', ');
    return `jsonb_to_recordset(?::jsonb) as ${alias}(${typed})`;
  }
  const extracted = names.map((name) => `value ->> '$.${name}' as ${name}`).join(', ');
  return `(select ${extracted} from json_each(?)) as ${alias}`;
}
