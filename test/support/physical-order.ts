import type { Database } from '../../src/database/database.ts';
import { openDatabaseOf } from './database.ts';

/** With these settings, PostgreSQL's planner reads tables in their physical order, which is not guaranteed. */
export const WITHOUT_INDEX_SCANS = '-c enable_indexscan=off -c enable_indexonlyscan=off';

/**
 * Rewrites every table of a PostgreSQL database so that its rows are stored in the order of their keys, or in reverse.
 * Updates, vacuum and other tools may leave them in either order.
 */
export async function layRows(dataDir: string, direction: 'asc' | 'desc'): Promise<void> {
  await using database = await openDatabaseOf(dataDir);
  for (const { table, columns } of await keysOf(database)) {
    await database.transaction(async (tx) => {
      const ordered = columns.map((column) => `${column} ${direction}`).join(', ');
      await tx.run(`create index laid_by on ${table} (${ordered})`);
      await tx.run(`cluster ${table} using laid_by`);
      await tx.run('drop index laid_by');
    });
  }
}

async function keysOf({ reader }: Database): Promise<{ table: string; columns: string[] }[]> {
  const rows = await reader.all<{ name: string; columns: string }>(
    `select key.indrelid::regclass::text as name,
       string_agg(quote_ident(part.attname), ',' order by array_position(key.indkey::int2[], part.attnum)) as columns
     from pg_index as key
     join pg_class as relation on relation.oid = key.indrelid and relation.relkind = 'r'
     join pg_attribute as part on part.attrelid = key.indrelid and part.attnum = any(key.indkey)
     where key.indisprimary and relation.relnamespace = 'public'::regnamespace
     group by key.indrelid`,
  );
  return rows.map(({ name, columns }) => ({ table: name, columns: columns.split(',') }));
}
