import type { Database, Transaction } from '../../src/database/database.ts';
import { until } from './service.ts';

/** A transaction that stays open until a test commits it; for PostgreSQL, where others run in parallel. */
export interface OpenTransaction {
  readonly tx: Transaction;
  commit(): Promise<void>;
}

/** Begins a transaction that stays open. */
export async function beginTransaction(database: Database): Promise<OpenTransaction> {
  const { promise: opened, resolve: tellOpen } = Promise.withResolvers<Transaction>();
  const { promise: ending, resolve: end } = Promise.withResolvers<void>();
  const done = database.transaction(async (tx) => {
    tellOpen(tx);
    await ending;
  });
  return {
    tx: await opened,
    commit: async () => {
      end();
      await done;
    },
  };
}

/** How many transactions of a PostgreSQL database wait for a lock that another one holds. */
export async function countWaiting({ reader }: Pick<Database, 'reader'>): Promise<number> {
  const [row] = await reader.all<{ waiting: number }>(
    `select count(*) as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}

/** Resolves once a transaction of a PostgreSQL database waits for another. */
export async function untilOneWaits(database: Pick<Database, 'reader'>): Promise<void> {
  await until(async () => (await countWaiting(database)) > 0, 'a transaction waits for another');
}
