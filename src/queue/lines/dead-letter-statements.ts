import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import type { QueuedMessage } from '../message-queue.ts';
import { deleteUnusedSharedBodies } from '../shared-bodies.ts';
import { type MessageRow, toMessages } from './message-statements.ts';

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
     where dead.id in ${idList(tx.dialect)}
     order by dead.id
     on conflict (message_id) do update set dead_lettered_at = excluded.dead_lettered_at,
       copy_at = excluded.copy_at`,
    now,
    copyAt,
    toIdList(positions),
  );
}

export async function deleteDeadLetters(tx: Transaction, messageIds: readonly string[]): Promise<void> {
  await tx.run(
    `delete from queue_dead_letters where message_id in
       ${idList(tx.dialect, 'text')}`,
    toIdList(messageIds),
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
  dead.enqueued_at, dead.copy_at from queue_dead_letters as dead`;

/** A dead letter that is to be copied to the dead-letter queue on Amazon SQS. */
export interface UncopiedDeadLetter extends QueuedMessage {
  /** Since when, in epoch milliseconds: differs each time the message is dead-lettered. */
  copyAt: number;
}

/** Dead letters that are to be copied to the dead-letter queue on Amazon SQS, the oldest first. */
export async function readUncopied(
  reader: Pick<Reader, 'all' | 'allFor'>,
  { now, limit }: { now: number; limit: number },
): Promise<UncopiedDeadLetter[]> {
  const rows = await reader.all<MessageRow & { copy_at: number }>(
    `${DEAD_LETTERS} where dead.copy_at <= ? order by dead.copy_at, dead.id limit ?`,
    now,
    limit,
  );
  const messages = await toMessages(reader, rows);
  return messages.map((message, n) => ({ ...message, copyAt: rows[n]!.copy_at }));
}

const NOTE_COPIED = new BatchStatement(
  'given',
  { id: 'bigint', copy_at: 'bigint' },
  (given, { from }) =>
    `update queue_dead_letters set copy_at = null ${from}
     where queue_dead_letters.id = ${given.id} and queue_dead_letters.copy_at = ${given.copy_at}`,
);

/** Notes dead letters as copied, except those that were dead-lettered again in the meantime. */
export async function noteCopied(
  tx: Transaction,
  dead: readonly Pick<UncopiedDeadLetter, 'position' | 'copyAt'>[],
): Promise<void> {
  await NOTE_COPIED.run(
    tx,
    dead.map(({ position, copyAt }) => ({ id: position, copy_at: copyAt })),
  );
}

/** Lets dead letters be copied to the dead-letter queue on Amazon SQS once more. */
export async function copyAgain(tx: Transaction, dead: readonly QueuedMessage[], now: number): Promise<void> {
  if (dead.length === 0) return;
  await tx.run(
    `update queue_dead_letters set copy_at = ?
     where id in ${idList(tx.dialect)}`,
    now,
    toIdList(dead.map(({ position }) => position)),
  );
}

/** The dead letters of these messages. */
export async function readDeadLetters(
  tx: Transaction,
  messageIds: readonly string[],
): Promise<QueuedMessage[]> {
  const rows = await tx.all<MessageRow>(
    `${DEAD_LETTERS} where dead.message_id in
       ${idList(tx.dialect, 'text')} order by dead.id`,
    toIdList(messageIds),
  );
  return await toMessages(tx, rows);
}
