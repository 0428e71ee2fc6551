import type { SqlRow, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import type { QueuedMessage, QueueMessage } from '../message-queue.ts';
import { skipLocked } from './sqs-statements.ts';

/** SQL of dead letters on their way to the dead-letter queue of Amazon SQS, and back. */

const COLUMNS = ['message_id', 'line_id', 'position', 'send_at', 'moved_by_sqs'] as const;

/** Notes dead letters: those that Amazon SQS moved by itself are in its queue already, the others are to be sent. */
export async function noteDeadLetters(
  tx: Transaction,
  dead: readonly Pick<QueuedMessage, 'messageId' | 'lineId' | 'position'>[],
  { now, movedBySqs }: { now: number; movedBySqs: boolean },
): Promise<void> {
  await tx.insertMany(
    'sqs_dead_letters',
    COLUMNS,
    dead.map((m): SqlRow => [m.messageId, m.lineId, m.position, movedBySqs ? null : now, movedBySqs ? 1 : 0]),
    `on conflict (message_id) do update set line_id = excluded.line_id, position = excluded.position,
      send_at = excluded.send_at, moved_by_sqs = excluded.moved_by_sqs`,
  );
}

/** Takes dead letters that are to be sent, oldest first, for one sender alone until `until`. */
export async function claimDeadLetters(
  tx: Transaction,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<QueuedMessage[]> {
  const due = await tx.all<{ message_id: string; position: number }>(
    `select due.message_id, due.position from sqs_dead_letters as due
     where due.send_at <= ? order by due.send_at, due.position limit ? ${skipLocked(tx)}`,
    now,
    limit,
  );
  if (due.length === 0) return [];
  const ids = JSON.stringify(due.map((row) => ({ id: row.message_id })));
  const claimed = recordset(tx.dialect, 'claimed', { id: 'text' });
  await tx.run(
    `update sqs_dead_letters set send_at = ? where message_id in (select claimed.id from ${claimed})`,
    until,
    ids,
  );
  const rows = await tx.all<{
    line_id: number;
    message_id: string;
    label: string;
    body: string;
    enqueued_at: number;
    position: number;
  }>(
    `select dead.line_id, dead.message_id, dead.label, dead.body, dead.enqueued_at, sent.position
     from ${claimed} cross join queue_dead_letters as dead cross join sqs_dead_letters as sent
     where dead.message_id = claimed.id and sent.message_id = claimed.id order by sent.position`,
    ids,
  );
  const left = new Set(rows.map((row) => row.message_id));
  const gone = due.filter((row) => !left.has(row.message_id)).map((row) => row.message_id);
  if (gone.length > 0) await forgetDeadLetters(tx, gone);
  return rows.map((row) => ({
    lineId: row.line_id,
    messageId: row.message_id,
    label: row.label,
    body: row.body,
    enqueuedAt: row.enqueued_at,
    position: row.position,
  }));
}

/** Notes how sending went: `sendAt` null when the dead letter is in its queue. */
export async function noteDeadLettersSent(
  tx: Transaction,
  sent: readonly { messageId: string; position: number; sendAt: number | null }[],
): Promise<void> {
  if (sent.length === 0) return;
  await tx.run(
    `update sqs_dead_letters set send_at = given.send_at
     from ${recordset(tx.dialect, 'given', { id: 'text', position: 'bigint', send_at: 'bigint' })}
     where sqs_dead_letters.message_id = given.id and sqs_dead_letters.position = given.position`,
    JSON.stringify(
      sent.map((each) => ({ id: each.messageId, position: each.position, send_at: each.sendAt })),
    ),
  );
}

export async function forgetDeadLetters(tx: Transaction, messageIds: readonly string[]): Promise<void> {
  await tx.run(
    `delete from sqs_dead_letters where message_id in
       (select gone.id from ${recordset(tx.dialect, 'gone', { id: 'text' })})`,
    JSON.stringify(messageIds.map((id) => ({ id }))),
  );
}

/** Forgets those that are no dead letters any more. */
export async function forgetRemovedDeadLetters(tx: Transaction): Promise<void> {
  await tx.run(
    `delete from sqs_dead_letters where not exists
       (select 1 from queue_dead_letters as dead where dead.message_id = sqs_dead_letters.message_id)`,
  );
}

/** The dead letter that somebody moved back from the dead-letter queue; undefined when it is none any more. */
export async function readMovedBack(
  tx: Transaction,
  { messageId, position, wasDead }: { messageId: string; position: number; wasDead: boolean },
): Promise<QueueMessage | undefined> {
  const rows = await tx.all<{
    line_id: number;
    message_id: string;
    label: string;
    body: string;
    enqueued_at: number;
  }>(
    `select dead.line_id, dead.message_id, dead.label, dead.body, dead.enqueued_at
     from queue_dead_letters as dead cross join sqs_dead_letters as sent
     where dead.message_id = ? and sent.message_id = dead.message_id and sent.position = ?
       and (sent.moved_by_sqs = 1 or ? = 1)`,
    messageId,
    position,
    wasDead ? 1 : 0,
  );
  const [row] = rows;
  return row === undefined
    ? undefined
    : {
        lineId: row.line_id,
        messageId: row.message_id,
        label: row.label,
        body: row.body,
        enqueuedAt: row.enqueued_at,
      };
}
