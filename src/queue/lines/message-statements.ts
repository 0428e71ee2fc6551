import { BatchStatement } from '../../database/batch-statement.ts';
import type { Dialect, Reader, SqlRow, Transaction } from '../../database/database.ts';
import { toIdRows } from '../../database/recordset.ts';
import { bytesSql } from '../../database/step-bytes.ts';
import type { MessageOutline, QueuedMessage, QueueMessage } from '../message-queue.ts';
import { type WholeBody, wholeBodies } from '../shared-bodies.ts';
import { GIVEN_PART, givenPart, inLineSql, lineOrderSql } from './in-line.ts';

/** SQL for the messages of lines, one operation per function. Each handles a whole batch in one statement. */

const MESSAGE_COLUMNS = [
  'line_id',
  'message_id',
  'label',
  'stored_body',
  'shared_body_id',
  'enqueued_at',
] as const;
/** Columns that few messages need. */
const OPTIONAL_COLUMNS: readonly [
  name: string,
  of: (message: QueueMessage) => string | number | undefined,
][] = [
  ['trace_context', (message) => message.traceContext],
  ['queued_at', (message) => message.requeuedAt],
];

/** The row of a message, with its body as it is stored. */
export interface MessageRow extends OutlineRow {
  body: string;
  shared_body_id: number | null;
}

/** The row of a message without its body. */
interface OutlineRow {
  id: number;
  line_id: number;
  message_id: string;
  label: string;
  enqueued_at: number;
  /** Missing in rows of dead letters. */
  trace_context?: string | null;
  /** Missing in rows of dead letters. */
  queued_at?: number | null;
}

/** Inserts messages in the given order. Their positions ascend. */
export async function insertMessages(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
  const optional = OPTIONAL_COLUMNS.filter(([, of]) => messages.some((message) => of(message) !== undefined));
  if (optional.length === 0) {
    await tx.insertMany('queue_messages', MESSAGE_COLUMNS, messages.map(toRow));
    return;
  }
  await tx.insertMany(
    'queue_messages',
    [...MESSAGE_COLUMNS, ...optional.map(([name]) => name)],
    messages.map((message) => [...toRow(message), ...optional.map(([, of]) => of(message) ?? null)]),
  );
}

function toRow(m: QueueMessage): SqlRow {
  return [m.lineId, m.messageId, m.label, m.shared?.own ?? m.body, m.shared?.id ?? null, m.occurredAt];
}

function headsStatement(columns: string): BatchStatement<'id'> {
  return new BatchStatement(
    'line',
    { id: 'bigint' },
    (line, { joined, dialect }) =>
      `select ${columns}
       from ${joined} queue_messages as head where head.id =
         (select first.id from queue_messages as first
          where ${inLineSql(dialect, { message: 'first', line: line.id, after: '0' })}
          order by ${lineOrderSql(dialect, 'first')} limit 1)`,
  );
}

const HEAD_OUTLINE = `head.id, head.line_id, head.message_id, head.label, head.enqueued_at, head.trace_context,
         head.queued_at`;
const HEADS = headsStatement(`${HEAD_OUTLINE}, head.stored_body as body, head.shared_body_id`);
const HEAD_OUTLINES = headsStatement(HEAD_OUTLINE);
const HEAD_NAMES = headsStatement('head.id, head.line_id, head.message_id, head.label');

/** The first message of each line. */
export async function readHeads(
  reader: Pick<Reader, 'allFor'>,
  lineIds: Iterable<number>,
): Promise<QueuedMessage[]> {
  const rows = await HEADS.all<MessageRow>(reader, toIdRows(lineIds));
  return await toMessages(reader, rows);
}

/** The first message of each line, without its body. */
export async function readHeadOutlines(
  reader: Pick<Reader, 'allFor'>,
  lineIds: Iterable<number>,
): Promise<MessageOutline[]> {
  const rows = await HEAD_OUTLINES.all<OutlineRow>(reader, toIdRows(lineIds));
  return rows.map(toOutline);
}

/** Which message it is. */
export type MessageName = Pick<MessageOutline, 'position' | 'lineId' | 'messageId' | 'label'>;

/**
 * The name of the first message of each line, even if its body is damaged. SQLite reads a long body in order to find the
 * columns behind it, so only those before it are read.
 */
export async function readHeadNames(
  reader: Pick<Reader, 'allFor'>,
  lineIds: Iterable<number>,
): Promise<MessageName[]> {
  const rows = await HEAD_NAMES.all<Pick<OutlineRow, 'id' | 'line_id' | 'message_id' | 'label'>>(
    reader,
    toIdRows(lineIds),
  );
  return rows.map((row) => ({
    position: row.id,
    lineId: row.line_id,
    messageId: row.message_id,
    label: row.label,
  }));
}

/** A range of positions in a line: greater than `after`, up to and including `through`. */
export interface Positions {
  after: number;
  through: number;
}

const ALL_POSITIONS: Positions = { after: 0, through: Number.MAX_SAFE_INTEGER };

function fromPart(dialect: Dialect): string {
  return `from queue_messages as m where ${inLineSql(dialect, GIVEN_PART)}
    order by ${lineOrderSql(dialect, 'm')} limit ?`;
}

/** The first messages of a line, or of a part of it, in order. */
export async function readFirstMessages(
  reader: Pick<Reader, 'dialect' | 'all' | 'allFor'>,
  lineId: number,
  limit: number,
  part: Positions = ALL_POSITIONS,
): Promise<QueuedMessage[]> {
  const rows = await reader.all<MessageRow>(
    `select m.id, m.line_id, m.message_id, m.label, m.stored_body as body, m.shared_body_id, m.enqueued_at, m.queued_at
     ${fromPart(reader.dialect)}`,
    ...givenPart(reader.dialect, lineId, part),
    limit,
  );
  return await toMessages(reader, rows);
}

/** The messages that {@link readFirstMessages} returns, without their bodies. */
export async function readFirstOutlines(
  reader: Pick<Reader, 'dialect' | 'all'>,
  lineId: number,
  limit: number,
  part: Positions,
): Promise<MessageOutline[]> {
  const rows = await reader.all<OutlineRow>(
    `select m.id, m.line_id, m.message_id, m.label, m.enqueued_at, m.queued_at ${fromPart(reader.dialect)}`,
    ...givenPart(reader.dialect, lineId, part),
    limit,
  );
  return rows.map(toOutline);
}

/** The positions of the messages that {@link readFirstMessages} returns, and the lengths of their bodies in bytes. */
export async function readFirstSizes(
  reader: Pick<Reader, 'dialect' | 'all'>,
  lineId: number,
  limit: number,
  part: Positions = ALL_POSITIONS,
): Promise<{ position: number; bytes: number }[]> {
  return await reader.all(
    `select m.id as position, ${bytesSql('m', 'stored_body')} as bytes ${fromPart(reader.dialect)}`,
    ...givenPart(reader.dialect, lineId, part),
    limit,
  );
}

/** The position of the last message of a line; 0 if there is none. */
export async function readLastPosition(
  reader: Pick<Reader, 'dialect' | 'all'>,
  lineId: number,
): Promise<number> {
  const { dialect } = reader;
  const [row] = await reader.all<{ last: number }>(
    `select m.id as last from queue_messages as m where ${inLineSql(dialect, GIVEN_PART)}
     order by ${lineOrderSql(dialect, 'm', 'desc')} limit 1`,
    ...givenPart(dialect, lineId, ALL_POSITIONS),
  );
  return row?.last ?? 0;
}

/** The number of messages in a part of a line whose events occurred before a given time, counted up to a bound. */
export async function countMessages(
  reader: Pick<Reader, 'dialect' | 'all'>,
  lineId: number,
  { before, bound, ...part }: Positions & { before: number; bound: number },
): Promise<number> {
  const [row] = await reader.all<{ count: number }>(
    `select count(*) as count from (select 1 as one from queue_messages as m
       where ${inLineSql(reader.dialect, GIVEN_PART)} and m.enqueued_at < ?
       order by ${lineOrderSql(reader.dialect, 'm')} limit ?) as counted`,
    ...givenPart(reader.dialect, lineId, part),
    before,
    bound,
  );
  return Number(row?.count ?? 0);
}

/** Converts rows to messages, with complete bodies where they can be read, in the same order. */
export async function toMessages(
  reader: Pick<Reader, 'allFor'>,
  rows: readonly MessageRow[],
): Promise<QueuedMessage[]> {
  return toQueued(rows, await wholeBodies(reader, rows));
}

/** Converts rows to messages, given their bodies in the same order. */
export function toQueued(rows: readonly MessageRow[], bodies: readonly WholeBody[]): QueuedMessage[] {
  return rows.map((row, n) => ({ ...toOutline(row), ...bodies[n]! }));
}

function toOutline(row: OutlineRow): MessageOutline {
  return {
    position: row.id,
    lineId: row.line_id,
    messageId: row.message_id,
    label: row.label,
    occurredAt: row.enqueued_at,
    ...(row.trace_context == null ? {} : { traceContext: row.trace_context }),
    ...(row.queued_at == null ? {} : { requeuedAt: row.queued_at }),
  };
}

const DELETE_MESSAGES = new BatchStatement(
  'gone',
  { id: 'bigint' },
  (gone, { using }) => `delete from queue_messages ${using} where queue_messages.id = ${gone.id}`,
);

/** Deletes messages by position. */
export async function deleteMessages(tx: Transaction, positions: readonly number[]): Promise<void> {
  await DELETE_MESSAGES.run(tx, toIdRows(positions));
}
