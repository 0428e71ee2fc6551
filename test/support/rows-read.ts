import assert from 'node:assert/strict';
import type { Database, Transaction } from '../../src/database/database.ts';

/** What one read needs, if an index leads to its rows. */
const FEW_ROWS = 100;
/** From the sixth time on, PostgreSQL uses a plan that does not depend on the values. */
const TIMES = 7;

/**
 * Fails if PostgreSQL passes over many rows of a table for a read, whether it plans for its values or not.
 * @param read the same statements each time
 * @param examined how many rows it examines on purpose
 */
export async function assertReadsFewRows(
  database: Database,
  read: (tx: Transaction) => Promise<unknown>,
  examined = 0,
): Promise<void> {
  await database.transaction(async (tx) => {
    for (let time = 1; time <= TIMES; time++) {
      const earlier = await rowsRead(tx);
      await read(tx);
      for (const [table, rows] of await rowsRead(tx)) {
        const count = rows - (earlier.get(table) ?? 0);
        assert.ok(count <= examined + FEW_ROWS, `${count} rows of ${table} at time ${time}`);
      }
    }
  });
}

/**
 * Rows and index entries that this transaction has read. Only differences mean something. Entries count as well,
 * because an index alone may answer a read.
 */
async function rowsRead(tx: Transaction): Promise<Map<string, number>> {
  const rows = await tx.all<{ name: string; count: number }>(
    `select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as count from pg_stat_xact_user_tables
     union all select class.relname, pg_stat_get_xact_tuples_returned(class.oid)
       from pg_class as class where class.relkind = 'i' and class.relnamespace = current_schema()::regnamespace`,
  );
  return new Map(rows.map(({ name, count }) => [name, Number(count)]));
}
