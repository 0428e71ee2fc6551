import type { Transaction } from '../../database/database.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import type { QueuedMessage } from '../message-queue.ts';
import { deleteUnusedSharedBodies } from '../shared-bodies.ts';

/** SQL for the dead-letter queue, one operation per function. */

/** How messages are added to the dead-letter queue. */
interface DeadLetterOptions {
  now: number;
  /** Whether the engine also places dead letters on another queue. */
  arePlaced: boolean;
}

/** Adds waiting messages, unchanged, to the dead-letter queue. */
export async function insertDeadLetters(
  tx: Transaction,
  positions: readonly number[],
  options: DeadLetterOptions,
): Promise<void> {
  await copyToDeadLetters(tx, positions, { ...options, stored: 'dead.stored_body, dead.shared_body_id' });
}

/** Adds a waiting message to the dead-letter queue, without its body if nothing of it can be read. */
export async function insertDeadLetter(
  tx: Transaction,
  { position, unreadable, shared }: QueuedMessage,
  options: DeadLetterOptions,
): Promise<void> {
  if (unreadable === undefined || shared !== undefined) await insertDeadLetters(tx, [position], options);
  else await copyToDeadLetters(tx, [position], { ...options, stored: "'', cast(null as bigint)" });
}

/** @param stored SQL of the body, and of the id of its shared part */
async function copyToDeadLetters(
  tx: Transaction,
  positions: readonly number[],
  { now, arePlaced, stored }: DeadLetterOptions & { stored: string },
): Promise<void> {
  await tx.run(
    `insert into queue_dead_letters
       (line_id, message_id, label, body, shared_body_id, enqueued_at, dead_lettered_at, copy_at)
     select dead.line_id, dead.message_id, dead.label, ${stored}, dead.enqueued_at,
       cast(? as bigint), cast(? as bigint)
     from queue_messages as dead
     where dead.id in ${idList(tx.dialect)}
     order by dead.id
     on conflict (message_id) do update set dead_lettered_at = excluded.dead_lettered_at,
       copy_at = excluded.copy_at`,
    now,
    arePlaced ? now : null,
    toIdList(positions),
  );
}

/** Deletes messages from the dead-letter queue. */
export async function deleteDeadLetters(tx: Transaction, messageIds: readonly string[]): Promise<void> {
  await tx.run(
    `delete from queue_dead_letters where message_id in
       ${idList(tx.dialect, 'text')}`,
    toIdList(messageIds),
  );
}

/**
 * Deletes at most `limit` dead letters that are older than `before`, with shared parts that nothing else uses.
 * Returns their number.
 */
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
