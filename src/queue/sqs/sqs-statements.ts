import type { Reader, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import { isWaiting, isWaitingInLine } from '../lines/done-to.ts';
import { type MessageRow, toMessages } from '../lines/message-statements.ts';
import type { QueuedMessage, QueueMessage } from '../message-queue.ts';

/** SQL of the copies on Amazon SQS; one operation a function, a whole batch in one statement. */

/** How long after its retry was due a line still counts as one that somebody works on. */
const WORKED_MS = 60_000;

/** A line whose messages one placer may copy to Amazon SQS until its claim ends. */
export interface Claim {
  lineId: number;
  /** Up to this position the line's messages are on Amazon SQS, or were. */
  placedTo: number;
}

/**
 * Claims lines for one placer until `until`. Lines that are being worked on are left out: their messages are taken up one
 * after another without copies. `claimed` are those that another placer holds at this moment.
 */
export async function claimLines(
  tx: Transaction,
  lineIds: readonly number[],
  { now, until }: { now: number; until: number },
): Promise<{ claims: Claim[]; claimed: number[] }> {
  const idle = await readIdle(tx, lineIds, now);
  const rows = await tx.all<{ line_id: number; placed_to: number }>(
    `insert into sqs_placed (line_id, placed_to, claimed_until)
     select given.id, 0, ? from ${recordset(tx.dialect, 'given', { id: 'bigint' })} where true order by given.id
     on conflict (line_id) do update set claimed_until = excluded.claimed_until
       where sqs_placed.claimed_until is null or sqs_placed.claimed_until <= ?
     returning line_id, placed_to`,
    until,
    asJson(idle.map(({ lineId }) => lineId)),
    now,
  );
  const held = new Set(rows.map((row) => row.line_id));
  return {
    claims: rows.map((row) => ({ lineId: row.line_id, placedTo: row.placed_to })),
    claimed: idle.map(({ lineId }) => lineId).filter((lineId) => !held.has(lineId)),
  };
}

/** Of these lines, those that nobody works on, and how far they are placed. */
export async function readIdle(
  reader: Pick<Reader, 'all' | 'dialect'>,
  lineIds: readonly number[],
  now: number,
): Promise<Claim[]> {
  const rows = await reader.all<{ line_id: number; placed_to: number }>(
    `select line.line_id, coalesce(sent.placed_to, 0) as placed_to
     from ${recordset(reader.dialect, 'given', { id: 'bigint' })}
     cross join queue_lines as line left join sqs_placed as sent on sent.line_id = line.line_id
     where line.line_id = given.id and line.pending > 0
       and (line.receive_count = 0 or line.available_at < ?) order by line.line_id`,
    asJson(lineIds),
    now - WORKED_MS,
  );
  return rows.map((row) => ({ lineId: row.line_id, placedTo: row.placed_to }));
}

/**
 * The messages of claimed lines that are to be placed next, in order.
 * @param share at most so many of a line
 * @param isBounded counts those towards the share that were placed before and still wait
 */
export async function readUnplaced(
  reader: Pick<Reader, 'all' | 'allFor' | 'dialect'>,
  claims: readonly Claim[],
  { share, isBounded }: { share: number; isBounded: boolean },
): Promise<QueuedMessage[]> {
  const rows = await reader.all<MessageRow>(
    `select next.id, next.line_id, next.message_id, next.label, next.stored_body as body, next.shared_body_id,
       next.enqueued_at
     from ${recordset(reader.dialect, 'claim', { line_id: 'bigint', placed_to: 'bigint' })}
     cross join queue_messages as next where next.id > claim.placed_to and next.id in
       (select first.id from queue_messages as first where first.line_id = claim.line_id
          and first.id > ${isBounded ? '0' : 'claim.placed_to'} and ${isWaitingInLine('first', 'claim.line_id')}
        order by first.id limit ?)
     order by next.line_id, next.id`,
    JSON.stringify(claims.map(({ lineId, placedTo }) => ({ line_id: lineId, placed_to: placedTo }))),
    share,
  );
  return await toMessages(reader, rows);
}

/** Notes how far lines are placed, and ends the claims. */
export async function notePlaced(tx: Transaction, lines: readonly Claim[]): Promise<void> {
  await tx.insertMany(
    'sqs_placed',
    ['line_id', 'placed_to', 'claimed_until'],
    lines.toSorted((a, b) => a.lineId - b.lineId).map(({ lineId, placedTo }) => [lineId, placedTo, null]),
    `on conflict (line_id) do update set claimed_until = null, placed_to = excluded.placed_to
     where sqs_placed.placed_to <= excluded.placed_to`,
  );
}

/** Lines with messages that were never placed. */
export async function readUnplacedLines(reader: Pick<Reader, 'all'>): Promise<number[]> {
  const rows = await reader.all<{ line_id: number }>(
    `select line.line_id from queue_lines as line left join sqs_placed as sent on sent.line_id = line.line_id
     where line.pending > 0 and exists (select 1 from queue_messages as next
       where next.line_id = line.line_id and next.id > coalesce(sent.placed_to, 0) and ${isWaiting('next', 'line')})`,
  );
  return rows.map((row) => row.line_id);
}

/** Of these lines, those whose head waits for its copy. */
export async function readAwaiting(
  reader: Pick<Reader, 'all' | 'dialect'>,
  lineIds: readonly number[],
  { now, lock = false }: { now: number; lock?: boolean },
): Promise<number[]> {
  // Whoever has a line locked is queueing to it, and its copy follows; or works on it.
  const locking = lock && reader.dialect === 'postgres' ? 'for update of line skip locked' : '';
  const rows = await reader.all<{ line_id: number }>(
    `select line.line_id from ${recordset(reader.dialect, 'given', { id: 'bigint' })}
     cross join queue_lines as line where line.line_id = given.id
       and line.lease_token is null and line.receive_count = 0 and line.available_at > ? ${locking}`,
    asJson(lineIds),
    now,
  );
  return rows.map((row) => row.line_id);
}

/** Makes heads due that waited for their copy, as of the moment at which they were queued. */
export async function makeAwaitingDue(
  tx: Transaction,
  lineIds: readonly number[],
  waitMs: number,
): Promise<void> {
  await tx.run(
    `update queue_lines set available_at = queue_lines.available_at - ? where line_id in
       (select given.id from ${recordset(tx.dialect, 'given', { id: 'bigint' })})`,
    waitMs,
    asJson(lineIds),
  );
}

/** Takes dead letters that are to be copied, oldest first, for one sender alone until `until`. */
export async function claimDeadLetters(
  tx: Transaction,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<QueuedMessage[]> {
  const rows = await tx.all<MessageRow>(
    `update queue_dead_letters set copy_at = ? where id in
       (select due.id from queue_dead_letters as due where due.copy_at <= ? order by due.copy_at, due.id limit ?
        ${tx.dialect === 'postgres' ? 'for update skip locked' : ''})
     returning id, line_id, message_id, label, body, shared_body_id, enqueued_at`,
    until,
    now,
    limit,
  );
  const messages = await toMessages(tx, rows);
  return messages.sort((a, b) => a.position - b.position);
}

/** Notes when dead letters are to be copied next: null when they have been. */
export async function noteCopied(
  tx: Transaction,
  dead: readonly { id: number; copyAt: number | null }[],
): Promise<void> {
  await tx.run(
    `update queue_dead_letters set copy_at = given.copy_at
     from ${recordset(tx.dialect, 'given', { id: 'bigint', copy_at: 'bigint' })}
     where queue_dead_letters.id = given.id`,
    JSON.stringify(dead.map(({ id, copyAt }) => ({ id, copy_at: copyAt }))),
  );
}

/** The dead letters of these messages. */
export async function readDeadLetters(
  tx: Transaction,
  messageIds: readonly string[],
): Promise<QueueMessage[]> {
  const rows = await tx.all<MessageRow>(
    `select dead.id, dead.line_id, dead.message_id, dead.label, dead.body, dead.shared_body_id, dead.enqueued_at
     from ${recordset(tx.dialect, 'given', { id: 'text' })} cross join queue_dead_letters as dead
     where dead.message_id = given.id order by dead.id`,
    asJson(messageIds),
  );
  return await toMessages(tx, rows);
}

function asJson(ids: readonly (number | string)[]): string {
  return JSON.stringify(ids.map((id) => ({ id })));
}
