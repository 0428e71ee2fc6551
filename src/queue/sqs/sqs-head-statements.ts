import type { Reader, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import type { SentMessage } from './sqs-message.ts';

/** SQL by which arrivals from Amazon SQS are held against the lines that they belong to. */

/** A line as an arrival finds it. */
export interface ArrivalLine {
  lineId: number;
  /** Messages of the line. */
  pending: number;
  /** When the head may be taken up; null while the line is empty. */
  availableAt: number | null;
  /** Somebody has, or had until `availableAt`, the head out. */
  isLeased: boolean;
  /** The head's position; null while the line is empty. */
  head: number | null;
  /** The message that stands at the arrival's position; null when none does. */
  messageId: string | null;
  generation: number;
  settledTo: number;
  /** What Amazon SQS said last how often it handed the head out. */
  receives: number;
}

interface ArrivalRow {
  line_id: number;
  pending: number | null;
  available_at: number | null;
  lease_token: string | null;
  head: number | null;
  message_id: string | null;
  generation: number | null;
  settled_to: number | null;
  receives: number | null;
}

/**
 * Locks the lines of arrivals, one of each line, and answers how they stand. Lines that others are at work on are left out:
 * those of settled messages are held already, and whoever publishes takes lines in ascending order.
 */
export async function readArrivalLines(
  tx: Transaction,
  arrivals: readonly { lineId: number; position: number }[],
): Promise<Map<number, ArrivalLine>> {
  const values = JSON.stringify(arrivals.map(({ lineId, position }) => ({ line_id: lineId, position })));
  const given = recordset(tx.dialect, 'given', { line_id: 'bigint', position: 'bigint' });
  let free: Set<number> | null = null;
  if (tx.dialect === 'postgres') {
    const locked = await tx.all<{ line_id: number }>(
      `select line.line_id from queue_lines as line
       where line.line_id in (select given.line_id from ${given}) for update skip locked`,
      values,
    );
    free = new Set(locked.map((row) => row.line_id));
  }
  const rows = await tx.all<ArrivalRow>(
    `select given.line_id, line.pending, line.available_at, line.lease_token, sent.generation, sent.settled_to,
       sent.receives,
       (select first.id from queue_messages as first where first.line_id = given.line_id
        order by first.id limit 1) as head,
       (select here.message_id from queue_messages as here
        where here.id = given.position and here.line_id = given.line_id) as message_id
     from ${given} left join queue_lines as line on line.line_id = given.line_id
     left join sqs_lines as sent on sent.line_id = given.line_id`,
    values,
  );
  const known = rows.filter((row) => free === null || row.pending === null || free.has(row.line_id));
  return new Map(
    known.map((row) => [
      row.line_id,
      {
        lineId: row.line_id,
        pending: row.pending ?? 0,
        availableAt: row.available_at,
        isLeased: row.lease_token !== null,
        head: row.head,
        messageId: row.message_id,
        generation: row.generation ?? 0,
        settledTo: row.settled_to ?? 0,
        receives: row.receives ?? 0,
      },
    ]),
  );
}

/** How a head was received last. */
export interface ReceivedHead {
  lineId: number;
  receiptHandle: string;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** What Amazon SQS says how often it handed the head out. */
  receives: number;
}

/** A head that arrived and is due. */
export interface HeadToLease extends ReceivedHead {
  /** Epoch milliseconds. */
  leasedUntil: number;
}

/** Leases heads that are due, and answers their lines with the new receive counts. */
export async function leaseHeads(
  tx: Transaction,
  heads: readonly HeadToLease[],
  { now, leaseToken }: { now: number; leaseToken: string },
): Promise<Map<number, number>> {
  const given = recordset(tx.dialect, 'given', { line_id: 'bigint', until: 'bigint' });
  const rows = await tx.all<{ line_id: number; receive_count: number }>(
    `update queue_lines set available_at = given.until, lease_token = ?,
       receive_count = queue_lines.receive_count + 1
     from ${given} where queue_lines.line_id = given.line_id and queue_lines.available_at <= ?
     returning queue_lines.line_id, queue_lines.receive_count`,
    leaseToken,
    JSON.stringify(heads.map((head) => ({ line_id: head.lineId, until: head.leasedUntil }))),
    now,
  );
  await noteReceipts(tx, heads);
  return new Map(rows.map((row) => [row.line_id, row.receive_count]));
}

/** Notes where heads are on Amazon SQS. */
export async function noteReceipts(tx: Transaction, heads: readonly ReceivedHead[]): Promise<void> {
  if (heads.length === 0) return;
  const taken = recordset(tx.dialect, 'taken', {
    line_id: 'bigint',
    handle: 'text',
    received_at: 'bigint',
    receives: 'bigint',
  });
  await tx.run(
    `update sqs_lines set receipt_handle = taken.handle, received_at = taken.received_at, receives = taken.receives
     from ${taken} where sqs_lines.line_id = taken.line_id`,
    JSON.stringify(
      heads.map((head) => ({
        line_id: head.lineId,
        handle: head.receiptHandle,
        received_at: head.receivedAt,
        receives: head.receives,
      })),
    ),
  );
}

/** Where the head of a line is on Amazon SQS: what it takes to hide it, show it or delete it there. */
export interface Receipt {
  receiptHandle: string;
  receivedAt: number;
  receives: number;
}

/** The receipts of lines' heads; lines whose head was not received yet are left out. */
export async function readReceipts(
  reader: Pick<Reader, 'all' | 'dialect'>,
  lineIds: readonly number[],
): Promise<Map<number, Receipt>> {
  const rows = await reader.all<{
    line_id: number;
    receipt_handle: string;
    received_at: number;
    receives: number;
  }>(
    `select line.line_id, line.receipt_handle, line.received_at, line.receives
     from ${recordset(reader.dialect, 'wanted', { id: 'bigint' })} cross join sqs_lines as line
     where line.line_id = wanted.id and line.receipt_handle is not null`,
    JSON.stringify(lineIds.map((id) => ({ id }))),
  );
  return new Map(
    rows.map((row) => [
      row.line_id,
      { receiptHandle: row.receipt_handle, receivedAt: row.received_at, receives: row.receives },
    ]),
  );
}

/**
 * Takes a message into its line that Amazon SQS holds and the database does not: it was sent while nothing was expected
 * back, or the database is a restored one. It gets the place that its number says, ahead of what came later.
 */
export async function adopt(tx: Transaction, message: SentMessage, now: number): Promise<void> {
  await tx.run(
    `insert into queue_messages (id, line_id, message_id, label, body, enqueued_at)
     values (?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    message.position,
    message.lineId,
    message.messageId,
    message.label,
    message.body,
    message.enqueuedAt,
  );
  if (tx.dialect === 'postgres') {
    // A number that was given by hand must not be drawn again.
    await tx.all(
      `select setval('queue_messages_id_seq', ?::bigint) from queue_messages_id_seq where last_value < ?::bigint`,
      message.position,
      message.position,
    );
  }
  await tx.insertMany(
    'queue_lines',
    ['line_id', 'pending', 'available_at', 'receive_count'],
    [[message.lineId, 1, now, 0]],
    `on conflict (line_id) do update set pending = queue_lines.pending + 1, available_at = excluded.available_at,
      receive_count = 0, lease_token = null`,
  );
  await tx.insertMany(
    'sqs_lines',
    ['line_id', 'forwarded_to', 'settled_to', 'generation', 'receives'],
    [[message.lineId, message.position, 0, message.generation, 0]],
    'on conflict (line_id) do nothing',
  );
}

/** A head that was due, and on the queue, for long. */
export interface OverdueHead {
  lineId: number;
  /** What Amazon SQS said last how often it handed the head out. */
  receives: number;
  /** How often it was taken up. */
  receiveCount: number;
  /** It was out and never settled. */
  wasOut: boolean;
  /** Where it was on the queue, if it was received. */
  receiptHandle: string | null;
}

/**
 * Heads that were due, and on the queue, before a moment, and have not arrived: the longest due first. In a transaction
 * nobody else changes their lines until it ends, and lines that others are at work on are left out.
 */
export async function readOverdue(
  reader: Pick<Reader, 'all' | 'dialect'>,
  { before, limit, lock = false }: { before: number; limit: number; lock?: boolean },
): Promise<OverdueHead[]> {
  const rows = await reader.all<{
    line_id: number;
    receives: number;
    receive_count: number;
    lease_token: string | null;
    receipt_handle: string | null;
  }>(
    `select line.line_id, sent.receives, line.receive_count, line.lease_token, sent.receipt_handle
     from queue_lines as line cross join sqs_lines as sent
     where line.available_at <= ? and sent.line_id = line.line_id and sent.forwarded_at <= ?
       and exists (select 1 from queue_messages as first
         where first.line_id = line.line_id and first.id <= sent.forwarded_to)
     order by line.available_at limit ? ${lock && reader.dialect === 'postgres' ? 'for update of line skip locked' : ''}`,
    before,
    before,
    limit,
  );
  return rows.map((row) => ({
    lineId: row.line_id,
    receives: row.receives,
    receiveCount: row.receive_count,
    wasOut: row.lease_token !== null,
    receiptHandle: row.receipt_handle,
  }));
}

/** The earliest moment after `now` at which a head is due; null when there is none. */
export async function readNextDueAfter(reader: Pick<Reader, 'all'>, now: number): Promise<number | null> {
  const rows = await reader.all<{ next: number | null }>(
    'select min(available_at) as next from queue_lines where available_at > ?',
    now,
  );
  return rows[0]?.next ?? null;
}
