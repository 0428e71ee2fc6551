import type { Dialect } from './database.ts';

/** The SQL types that a recordset's column may have, in PostgreSQL's words. */
export type RecordsetType = 'bigint' | 'text';

/**
 * A table expression over one parameter that holds a JSON array of objects, so that one statement handles a
 * whole batch on either engine. `columns` maps member names to types; names are constants of the code.
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
