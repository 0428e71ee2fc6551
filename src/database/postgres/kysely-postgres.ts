import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { Tables } from '../schema.ts';
import type { PostgresResult } from './postgres-connections.ts';

/**
 * Kysely over a function that runs its statements, which have `$1` and so on. Transactions and connections are
 * handled by the adapter.
 */
export function kyselyOver(
  run: (sql: string, parameters: readonly unknown[]) => Promise<PostgresResult>,
): Kysely<Tables> {
  // Kysely calls only these two members of a client. The others are for cancelling, which is not used.
  const client = { query: run, release: () => {} } as unknown as PostgresPoolClient;
  const pool = {
    connect: async () => client,
    end: async () => {
      throw new Error('the connection is closed by the adapter, not through Kysely');
    },
  } as unknown as PostgresPool;
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
