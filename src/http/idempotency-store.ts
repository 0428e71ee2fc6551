import type { Transaction } from '../database/database.ts';
import type { IdempotencyKeyRow } from '../database/schema.ts';

/** SQL for stored responses, one operation per function. */

/**
 * Returns whether the key was new and is now claimed. On PostgreSQL, it waits for another transaction that is
 * claiming it.
 */
export async function claimKey(
  tx: Transaction,
  row: Omit<IdempotencyKeyRow, 'status' | 'headers' | 'body'>,
): Promise<boolean> {
  const claimed = await tx.query
    .insertInto('idempotency_keys')
    .values({ ...row, status: 0, headers: '{}', body: 'null' })
    .onConflict((conflict) => conflict.columns(['client_id', 'idempotency_key']).doNothing())
    .executeTakeFirst();
  return Number(claimed.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** The key of a caller with its stored response; undefined if it is new. */
export async function readKey(
  tx: Transaction,
  clientId: string,
  key: string,
): Promise<IdempotencyKeyRow | undefined> {
  return await tx.query
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('idempotency_keys.client_id', '=', clientId)
    .where('idempotency_keys.idempotency_key', '=', key)
    .executeTakeFirst();
}

/** Stores the response for a key that is claimed. */
export async function keepResponse(
  tx: Transaction,
  {
    clientId,
    key,
    status,
    headers,
    body,
  }: { clientId: string; key: string; status: number; headers: string; body: string },
): Promise<void> {
  await tx.query
    .updateTable('idempotency_keys')
    .set({ status, headers, body })
    .where('idempotency_keys.client_id', '=', clientId)
    .where('idempotency_keys.idempotency_key', '=', key)
    .execute();
}

/** Removes the key unless it was claimed after `expiry`, in epoch milliseconds. */
export async function deleteExpiredKey(
  tx: Transaction,
  { clientId, key, expiry }: { clientId: string; key: string; expiry: number },
): Promise<void> {
  await tx.query
    .deleteFrom('idempotency_keys')
    .where('idempotency_keys.client_id', '=', clientId)
    .where('idempotency_keys.idempotency_key', '=', key)
    .where('idempotency_keys.created_at', '<=', expiry)
    .execute();
}

/** Removes stored responses from before a time, at most `limit`, and returns how many. */
export async function deleteKeysBefore(tx: Transaction, before: number, limit: number): Promise<number> {
  return await tx.run(
    `delete from idempotency_keys where (client_id, idempotency_key) in
       (select old.client_id, old.idempotency_key from idempotency_keys as old
        where old.created_at < ? order by old.created_at limit ?)`,
    before,
    limit,
  );
}
