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

/** When keys were claimed that have not expired, in epoch milliseconds: later than `after`, and at `until` at the latest. */
export interface Lifetime {
  after: number;
  until: number;
}

/** Removes the key if it has expired. */
export async function deleteExpiredKey(
  tx: Transaction,
  { clientId, key, lifetime }: { clientId: string; key: string; lifetime: Lifetime },
): Promise<void> {
  await tx.query
    .deleteFrom('idempotency_keys')
    .where('idempotency_keys.client_id', '=', clientId)
    .where('idempotency_keys.idempotency_key', '=', key)
    .where((eb) =>
      eb.or([
        eb('idempotency_keys.created_at', '<=', lifetime.after),
        eb('idempotency_keys.created_at', '>', lifetime.until),
      ]),
    )
    .execute();
}

/** Removes stored responses that have expired, at most `limit`, and returns how many. */
export async function deleteExpiredKeys(
  tx: Transaction,
  { after, until }: Lifetime,
  limit: number,
): Promise<number> {
  return await tx.run(
    `delete from idempotency_keys where (client_id, idempotency_key) in
       (select old.client_id, old.idempotency_key from idempotency_keys as old
        where old.created_at <= ? or old.created_at > ? limit ?)`,
    after,
    until,
    limit,
  );
}
