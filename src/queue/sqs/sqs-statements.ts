import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { idList, recordset, toIdList, toIdRows } from '../../database/recordset.ts';
import { bytesSql } from '../../database/step-bytes.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { inLineSql, lineOrderSql } from '../lines/in-line.ts';
import { type MessageRow, toMessages } from '../lines/message-statements.ts';
import type { QueuedMessage } from '../message-queue.ts';

/** SQL for the copies on Amazon SQS, one operation per function. Each handles a whole batch in one statement. */

/** A line counts as active until this time after its retry was due. */
const WORKED_MS = MINUTE_MS;
const MESSAGES_PER_LINE = 10;

/** `skipped` is 1 if messages with copies do not count towards the limit, and 0 if they do. */
const UNPLACED = new BatchStatement(
  'line',
  { id: 'bigint', worked_since: 'bigint', skipped: 'bigint' },
  (line, { joined, dialect }) => {
    const placedTo = `coalesce((select sent.placed_to from sqs_placed as sent where sent.line_id = ${line.id}), 0)`;
    return `select next.id as position, next.line_id as "lineId", next.bytes
      from ${joined} ${dialect === 'postgres' ? 'lateral' : ''}
        (select first.id, first.line_id, ${bytesSql('first', 'stored_body')} as bytes
         from queue_messages as first
         where ${inLineSql(dialect, { message: 'first', line: line.id, after: `${line.skipped} * ${placedTo}` })}
         order by ${lineOrderSql(dialect, 'first')} limit ${MESSAGES_PER_LINE}) as next
      where next.id > ${placedTo} and exists
        (select 1 from queue_lines as idle where idle.line_id = ${line.id}
           and (idle.receive_count = 0 or idle.available_at < ${line.worked_since}))
      order by next.line_id, next.id`;
  },
);

/** A message to read, by its position, with the length of its body. */
export interface UnplacedMessage {
  position: number;
  lineId: number;
  bytes: number;
}

/**
 * The next messages of lines without copies, in order, at most ten per line. Active lines need no copies, because their
 * messages are received one after another.
 * @param isBounded whether waiting messages with copies count towards the ten
 */
export async function readUnplaced(
  reader: Pick<Reader, 'allFor'>,
  lineIds: readonly number[],
  { isBounded, now }: { isBounded: boolean; now: number },
): Promise<UnplacedMessage[]> {
  const lines = lineIds.map((id) => ({ id, worked_since: now - WORKED_MS, skipped: isBounded ? 0 : 1 }));
  return await UNPLACED.all(reader, lines);
}

const MESSAGES = new BatchStatement(
  'given',
  { id: 'bigint' },
  (given, { joined }) =>
    `select m.id, m.line_id, m.message_id, m.label, m.stored_body as body, m.shared_body_id, m.enqueued_at
     from ${joined} queue_messages as m where m.id = ${given.id} order by m.line_id, m.id`,
);

/** The messages with these positions, in this order, except those that were settled in the meantime. */
export async function readMessages(
  reader: Pick<Reader, 'allFor'>,
  messages: readonly Pick<UnplacedMessage, 'position'>[],
): Promise<QueuedMessage[]> {
  const ids = toIdRows(messages.map(({ position }) => position));
  return await toMessages(reader, await MESSAGES.all<MessageRow>(reader, ids));
}

/** Records that messages, sorted by position, have copies. */
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

/** Lines with messages, which may have no copies. */
export async function readWaitingLines(reader: Pick<Reader, 'all'>): Promise<number[]> {
  const rows = await reader.all<{ line_id: number }>('select line_id from queue_lines where pending > 0');
  return rows.map((row) => row.line_id);
}

/** Deletes the records of the copies of forgotten lines. */
export async function deletePlaced(tx: Transaction, lineIds: readonly number[]): Promise<void> {
  await tx.run(`delete from sqs_placed where line_id in ${idList(tx.dialect)}`, toIdList(lineIds));
}

/**
 * Makes heads due that wait for their copies, at most `waitMs` milliseconds. They are due as of the time at which they
 * were queued. A head that was released until later keeps its time. Lines that others have locked are omitted.
 */
export async function makeAwaitingDue(
  tx: Transaction,
  lineIds: Iterable<number>,
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
    toIdList(lineIds),
    now,
    now + waitMs,
    waitMs,
  );
}

const DEAD_LETTERS = `select dead.id, dead.line_id, dead.message_id, dead.label, dead.body, dead.shared_body_id,
  dead.enqueued_at, dead.dead_lettered_at, dead.copy_at from queue_dead_letters as dead`;

/** A row of {@link DEAD_LETTERS}. */
interface DeadLetterRow extends MessageRow {
  dead_lettered_at: number;
  copy_at: number | null;
}

/** A message on the dead-letter queue of the database. */
export interface DeadLetter extends QueuedMessage {
  /** When it was dead-lettered, in epoch milliseconds. */
  deadAt: number;
}

/** A dead letter without a copy. */
export interface UnplacedDeadLetter extends DeadLetter {
  /** Since when it waits for a copy, in epoch milliseconds: differs each time the message is dead-lettered. */
  placeAt: number;
}

/**
 * The ids of dead letters without a copy, the oldest first, with the lengths of their bodies in bytes. They include
 * those of the future: the clock was set back since.
 */
export async function readUnplacedDeadLetterSizes(
  reader: Pick<Reader, 'all'>,
  limit: number,
): Promise<{ id: number; bytes: number }[]> {
  return await reader.all(
    `select dead.id, ${bytesSql('dead', 'body')} as bytes from queue_dead_letters as dead
     where dead.copy_at is not null order by dead.copy_at, dead.id limit ?`,
    limit,
  );
}

/** The dead letters with these ids that still have no copy, the oldest first. */
export async function readUnplacedDeadLetters(
  reader: Pick<Reader, 'all' | 'allFor' | 'dialect'>,
  given: readonly { id: number }[],
): Promise<UnplacedDeadLetter[]> {
  const rows = await reader.all<DeadLetterRow & { copy_at: number }>(
    `${DEAD_LETTERS} where dead.id in ${idList(reader.dialect)} and dead.copy_at is not null
     order by dead.copy_at, dead.id`,
    toIdList(given.map(({ id }) => id)),
  );
  const dead = await toDeadLetters(reader, rows);
  return dead.map((letter, n) => ({ ...letter, placeAt: rows[n]!.copy_at }));
}

async function toDeadLetters(
  reader: Pick<Reader, 'allFor'>,
  rows: readonly DeadLetterRow[],
): Promise<DeadLetter[]> {
  const messages = await toMessages(reader, rows);
  return messages.map((message, n) => ({ ...message, deadAt: rows[n]!.dead_lettered_at }));
}

const NOTE_PLACED_DEAD_LETTERS = new BatchStatement(
  'given',
  { id: 'bigint', copy_at: 'bigint' },
  (given, { from }) =>
    `update queue_dead_letters set copy_at = null ${from}
     where queue_dead_letters.id = ${given.id} and queue_dead_letters.copy_at = ${given.copy_at}`,
);

/** Records that dead letters have copies, except letters that were dead-lettered again in the meantime. */
export async function notePlacedDeadLetters(
  tx: Transaction,
  dead: readonly Pick<UnplacedDeadLetter, 'position' | 'placeAt'>[],
): Promise<void> {
  await NOTE_PLACED_DEAD_LETTERS.run(
    tx,
    dead.map(({ position, placeAt }) => ({ id: position, copy_at: placeAt })),
  );
}

/** Records that dead letters have no copies, so that another copy of each is sent. */
export async function placeDeadLettersAgain(
  tx: Transaction,
  dead: readonly QueuedMessage[],
  now: number,
): Promise<void> {
  if (dead.length === 0) return;
  await tx.run(
    `update queue_dead_letters set copy_at = ?
     where id in ${idList(tx.dialect)}`,
    now,
    toIdList(dead.map(({ position }) => position)),
  );
}

/** The lines of those of these messages that are dead letters. */
export async function readLinesOfDeadLetters(
  tx: Transaction,
  messageIds: readonly string[],
): Promise<number[]> {
  const rows = await tx.all<{ line_id: number }>(
    `select distinct dead.line_id from queue_dead_letters as dead where dead.message_id in
       ${idList(tx.dialect, 'text')}`,
    toIdList(messageIds),
  );
  return rows.map((row) => row.line_id);
}

/**
 * The dead letters of these messages, locked until the transaction ends. Otherwise, they could expire meanwhile, and with
 * them the shared parts of their bodies.
 */
export async function lockDeadLetters(tx: Transaction, messageIds: readonly string[]): Promise<DeadLetter[]> {
  const rows = await tx.all<DeadLetterRow>(
    `${DEAD_LETTERS} where dead.message_id in
       ${idList(tx.dialect, 'text')} order by dead.id ${tx.dialect === 'postgres' ? 'for update of dead' : ''}`,
    toIdList(messageIds),
  );
  return await toDeadLetters(tx, rows);
}
