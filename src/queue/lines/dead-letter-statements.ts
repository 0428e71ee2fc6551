import type { Reader, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import type { QueuedMessage } from '../message-queue.ts';
import { deleteUnusedSharedBodies } from '../shared-bodies.ts';
import { asIds, type MessageRow, toMessages } from './message-statements.ts';

/** SQL for the dead-letter queue, one operation per function. */

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

const DEAD_LETTERS = `select dead.id, dead.line_id, dead.message_id, dead.label, dead.body, dead.shared_body_id,
  dead.enqueued_at from queue_dead_letters as dead`;

/** Dead letters that are to be copied to the dead-letter queue on Amazon SQS, the oldest first. */
export async function readUncopied(
  reader: Pick<Reader, 'all' | 'allFor'>,
  { now, limit }: { now: number; limit: number },
): Promise<QueuedMessage[]> {
  const sql = `${DEAD_LETTERS} where dead.copy_at <= ? order by dead.copy_at, dead.id limit ?`;
  return await toMessages(reader, await reader.all<MessageRow>(sql, now, limit));
}

/** Notes dead letters as copied. */
export async function noteCopied(tx: Transaction, dead: readonly QueuedMessage[]): Promise<void> {
  await tx.run(
    `update queue_dead_letters set copy_at = null
     where id in (select given.id from ${recordset(tx.dialect, 'given', { id: 'bigint' })})`,
    JSON.stringify(asIds(dead.map(({ position }) => position))),
  );
}

/** Lets dead letters be copied to the dead-letter queue on Amazon SQS once more. */
export async function copyAgain(tx: Transaction, dead: readonly QueuedMessage[], now: number): Promise<void> {
  if (dead.length === 0) return;
  await tx.run(
    `update queue_dead_letters set copy_at = ?
     where id in (select given.id from ${recordset(tx.dialect, 'given', { id: 'bigint' })})`,
    now,
    JSON.stringify(asIds(dead.map(({ position }) => position))),
  );
}

/** The dead letters of these messages. */
export async function readDeadLetters(
  tx: Transaction,
  messageIds: readonly string[],
): Promise<QueuedMessage[]> {
  const rows = await tx.all<MessageRow>(
    `${DEAD_LETTERS} where dead.message_id in
       (select given.id from ${recordset(tx.dialect, 'given', { id: 'text' })}) order by dead.id`,
    JSON.stringify(messageIds.map((id) => ({ id }))),
  );
  return await toMessages(tx, rows);
}
