import type { Transaction } from './database.ts';

/**
 * Resolves when writes have been sent. PostgreSQL receives them together with the following statements or the commit.
 * Their results are not awaited there, because a failed write undoes the transaction. So the writes must send all of
 * their statements when they are called, and use the transaction for nothing else afterwards.
 */
export async function sent({ dialect }: Transaction, writes: readonly Promise<void>[]): Promise<void> {
  const written = Promise.all(writes);
  if (dialect === 'postgres') written.catch(() => undefined);
  else await written;
}
