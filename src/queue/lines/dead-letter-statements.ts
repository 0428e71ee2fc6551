import type { Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import { deleteUnusedSharedBodies } from '../shared-bodies.ts';

/** SQL of the dead-letter queue, one operation a function. */

/**
 * Copies messages, unchanged, into the dead-letter queue.
 * @param copyAt when they are to be copied to the dead-letter queue on Amazon SQS; null: never
 */
export async function copyToDeadLetters(
  tx: Transaction,
  positions: readonly number[],
  { now, copyAt }: { now: number; copyAt: number | null },
): Promise<void> {
  await tx.run(
    `insert into queue_dead_letters
       (line_id, message_id, label, body, shared_body_id, enqueued_at, dead_lettered_at, copy_at)
     select dead.line_id, dead.message_id, dead.label, dead.stored_body, dead.shared_body_id, dead.enqueued_at,
       cast(? as bigint), cast(? as bigint)
     from queue_messages as dead
     where dead.id in (select moved.id from ${recordset(tx.dialect, 'moved', { id: 'bigint' })})
     order by dead.id
     on conflict (message_id) do update set dead_lettered_at = excluded.dead_lettered_at,
       copy_at = excluded.copy_at`,
    now,
    copyAt,
    JSON.stringify(positions.map((id) => ({ id }))),
  );
}

export async function deleteDeadLetters(tx: Transaction, messageIds: readonly string[]): Promise<void> {
  await tx.run(
    `delete from queue_dead_letters where message_id in
       (select gone.id from ${recordset(tx.dialect, 'gone', { id: 'text' })})`,
    JSON.stringify(messageIds.map((id) => ({ id }))),
  );
}

export async function deleteDeadLettersBefore(
  tx: Transaction,
  before: number,
  limit: number,
): Promise<number> {
  const rows = await tx.all<{ shared_body_id: number | null }>(
    `delete from queue_dead_letters where id in
       (select old.id from queue_dead_letters as old where old.dead_lettered_at < ? order by old.dead_lettered_at limit ?)
     returning shared_body_id`,
    before,
    limit,
  );
  await deleteUnusedSharedBodies(
    tx,
    rows.map((row) => row.shared_body_id),
  );
  return rows.length;
}
