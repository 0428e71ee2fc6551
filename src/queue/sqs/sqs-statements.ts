import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import { isWaiting, isWaitingInLine } from '../lines/done-to.ts';
import { asIds, type MessageRow, toMessages } from '../lines/message-statements.ts';
import type { QueuedMessage } from '../message-queue.ts';

/** SQL for the copies on Amazon SQS; one operation a function, a whole batch in one statement. */

/** How long after its retry was due a line still counts as one that is being worked on. */
const WORKED_MS = 60_000;

/** The messages of an idle line that are to be copied next, among those behind `start`. */
const unplacedBehind = (start: (placedTo: string) => string) =>
  new BatchStatement(
    'line',
    { id: 'bigint', worked_since: 'bigint', share: 'bigint' },
    (line, { joined, dialect }) => {
      const placedTo = `coalesce((select sent.placed_to from sqs_placed as sent where sent.line_id = ${line.id}), 0)`;
      return `select next.id, next.line_id, next.message_id, next.label, next.body, next.shared_body_id, next.enqueued_at
        from ${joined} ${dialect === 'postgres' ? 'lateral' : ''}
          (select first.id, first.line_id, first.message_id, first.label, first.stored_body as body, first.shared_body_id,
             first.enqueued_at
           from queue_messages as first where first.line_id = ${line.id} and first.id > ${start(placedTo)}
             and ${isWaitingInLine('first', line.id)}
           order by first.id limit ${line.share}) as next
        where next.id > ${placedTo} and exists
          (select 1 from queue_lines as idle where idle.line_id = ${line.id}
             and (idle.receive_count = 0 or idle.available_at < ${line.worked_since}))
        order by next.line_id, next.id`;
    },
  );
const UNPLACED = unplacedBehind((placedTo) => placedTo);
const UNPLACED_AMONG_FIRST = unplacedBehind(() => '0');

/**
 * The messages of lines that are to be copied next, in order. Lines that are being worked on need no copies: their
 * messages are received one after another.
 * @param limit how many messages of a line at most
 * @param isBounded counts waiting messages that have been copied already towards the limit
 */
export async function readUnplaced(
  reader: Pick<Reader, 'allFor'>,
  lineIds: readonly number[],
  { limit, isBounded, now }: { limit: number; isBounded: boolean; now: number },
): Promise<QueuedMessage[]> {
  const rows = await (isBounded ? UNPLACED_AMONG_FIRST : UNPLACED).all<MessageRow>(
    reader,
    lineIds.map((id) => ({ id, worked_since: now - WORKED_MS, share: limit })),
  );
  return await toMessages(reader, rows);
}

/** Notes messages, sorted by position, as copied. */
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

/** Lines with messages that were never copied. */
export async function readUnplacedLines(reader: Pick<Reader, 'all'>): Promise<number[]> {
  const rows = await reader.all<{ line_id: number }>(
    `select line.line_id from queue_lines as line left join sqs_placed as sent on sent.line_id = line.line_id
     where line.pending > 0 and exists (select 1 from queue_messages as next
       where next.line_id = line.line_id and next.id > coalesce(sent.placed_to, 0) and ${isWaiting('next', 'line')})`,
  );
  return rows.map((row) => row.line_id);
}

/**
 * Makes the heads of lines due that wait for their copies, as of the time at which they were queued. A head that was
 * released until later keeps its time. Lines that others have locked are omitted: their copies follow, or another
 * instance handles them.
 */
export async function makeAwaitingDue(
  tx: Transaction,
  lineIds: readonly number[],
  { now, waitMs }: { now: number; waitMs: number },
): Promise<void> {
  // Materialized: a plan that ran the subquery twice would lock other lines than it updates.
  await tx.run(
    `with awaiting as materialized
       (select line.line_id from ${recordset(tx.dialect, 'given', { id: 'bigint' })}
        cross join queue_lines as line where line.line_id = given.id
          and line.lease_token is null and line.receive_count = 0
          and line.available_at > ? and line.available_at <= ?
        ${tx.dialect === 'postgres' ? 'for update of line skip locked' : ''})
     update queue_lines set available_at = available_at - ?
     where line_id in (select awaiting.line_id from awaiting)`,
    JSON.stringify(asIds(lineIds)),
    now,
    now + waitMs,
    waitMs,
  );
}

const DEAD_LETTERS = `select dead.id, dead.line_id, dead.message_id, dead.label, dead.body, dead.shared_body_id,
  dead.enqueued_at from queue_dead_letters as dead`;

/** Dead letters that are to be copied, the oldest first. */
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
