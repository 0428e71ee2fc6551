import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { waitingInLineSql } from '../lines/done-to.ts';
import { type MessageRow, toMessages } from '../lines/message-statements.ts';
import type { QueuedMessage } from '../message-queue.ts';

/** SQL for the copies on Amazon SQS, one operation per function, a whole batch per statement. */

/** A line counts as active until this time after its retry was due. */
const WORKED_MS = 60_000;
const MESSAGES_PER_LINE = 10;

/** `skipped` is 0 or 1: whether messages that have been copied count towards the limit. */
const UNPLACED = new BatchStatement(
  'line',
  { id: 'bigint', worked_since: 'bigint', skipped: 'bigint' },
  (line, { joined, dialect }) => {
    const placedTo = `coalesce((select sent.placed_to from sqs_placed as sent where sent.line_id = ${line.id}), 0)`;
    return `select next.id, next.line_id, next.message_id, next.label, next.body, next.shared_body_id, next.enqueued_at
      from ${joined} ${dialect === 'postgres' ? 'lateral' : ''}
        (select first.id, first.line_id, first.message_id, first.label, first.stored_body as body, first.shared_body_id,
           first.enqueued_at
         from queue_messages as first
         where first.line_id = ${line.id} and first.id > ${line.skipped} * ${placedTo} and ${waitingInLineSql('first', line.id)}
         order by first.id limit ${MESSAGES_PER_LINE}) as next
      where next.id > ${placedTo} and exists
        (select 1 from queue_lines as idle where idle.line_id = ${line.id}
           and (idle.receive_count = 0 or idle.available_at < ${line.worked_since}))
      order by next.line_id, next.id`;
  },
);

/**
 * The next messages to copy from lines, in order, at most ten per line. Active lines need no copies, because their
 * messages are received one after another.
 * @param isBounded whether waiting messages that are already copied count towards the ten
 */
export async function readUnplaced(
  reader: Pick<Reader, 'allFor'>,
  lineIds: readonly number[],
  { isBounded, now }: { isBounded: boolean; now: number },
): Promise<QueuedMessage[]> {
  const lines = lineIds.map((id) => ({ id, worked_since: now - WORKED_MS, skipped: isBounded ? 0 : 1 }));
  return await toMessages(reader, await UNPLACED.all<MessageRow>(reader, lines));
}

/** Marks messages, sorted by position, as copied. */
export async function notePlaced(tx: Transaction, messages: readonly QueuedMessage[]): Promise<void> {
  const placed = new Map(messages.map(({ lineId, position }) => [lineId, position]));
  await tx.insertMany(
    'sqs_placed',
    ['line_id', 'placed_to'],
    [...placed].sort(([a], [b]) => a - b),
    `on conflict (line_id) do update set placed_to = excluded.placed_to
     where sqs_placed.placed_to < excluded.placed_to`,
  );
}

/** Lines with messages, which may not have been copied. */
export async function readWaitingLines(reader: Pick<Reader, 'all'>): Promise<number[]> {
  const rows = await reader.all<{ line_id: number }>('select line_id from queue_lines where pending > 0');
  return rows.map((row) => row.line_id);
}
