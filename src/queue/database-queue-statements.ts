import { BatchStatement } from '../database/batch-statement.ts';
import type { Reader, SqlRow, Transaction } from '../database/database.ts';
import { recordset } from '../database/recordset.ts';
import type { QueuedMessage, QueueMessage } from './message-queue.ts';

/** SQL of the database queue, one operation a function; each handles a whole batch in one statement. */

const MESSAGE_COLUMNS = ['line_id', 'message_id', 'label', 'body', 'enqueued_at'] as const;

interface MessageRow {
  id: number;
  line_id: number;
  message_id: string;
  label: string;
  body: string;
  enqueued_at: number;
}

/** Adds to the lines' counts and makes lines that were empty available. Lines in ascending order of id. */
export async function addToLines(
  tx: Transaction,
  counts: readonly (readonly [lineId: number, count: number])[],
  now: number,
): Promise<void> {
  await tx.insertMany(
    'queue_lines',
    ['line_id', 'pending', 'available_at', 'receive_count'],
    counts.map(([lineId, count]): SqlRow => [lineId, count, now, 0]),
    `on conflict (line_id) do update set pending = queue_lines.pending + excluded.pending,
      available_at = coalesce(queue_lines.available_at, excluded.available_at)`,
  );
}

/**
 * Locks the rows of lines, in ascending order, as everyone does: no two transactions wait for each other. On SQLite nothing
 * else happens meanwhile anyway.
 */
export async function lockLines(tx: Transaction, lineIds: readonly number[]): Promise<void> {
  if (tx.dialect !== 'postgres' || lineIds.length === 0) return;
  await tx.insertMany(
    'queue_lines',
    ['line_id', 'pending', 'available_at', 'receive_count'],
    lineIds.toSorted((a, b) => a - b).map((lineId): SqlRow => [lineId, 0, null, 0]),
    'on conflict (line_id) do update set pending = queue_lines.pending',
  );
}

export async function insertMessages(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
  await tx.insertMany(
    'queue_messages',
    MESSAGE_COLUMNS,
    messages.map((m): SqlRow => [m.lineId, m.messageId, m.label, m.body, m.enqueuedAt]),
  );
}

/** Who has a line's head out. */
export interface Lease {
  lineId: number;
  leaseToken: string;
  /** The head's position, when the message behind it is to be looked for. */
  nextBehind: number | null;
}

/** A line whose lease is still held. */
export interface HeldLine {
  leaseToken: string;
  /** How many messages it has. */
  pending: number;
  /** The message behind the head; null when there is none, or it was not looked for. */
  next: QueuedMessage | null;
}

/** PostgreSQL's. */
const HELD_LINES = new BatchStatement(
  'lease',
  { line_id: 'bigint', token: 'text' },
  (lease, { joined }) =>
    `select line.line_id, line.lease_token, line.pending from ${joined} queue_lines as line
     where line.line_id = ${lease.line_id} and line.lease_token = ${lease.token}
     order by line.line_id for update of line`,
);

/** SQLite's. No message is behind a position that is null. */
const HELD_LINES_WITH_NEXT = new BatchStatement(
  'lease',
  { line_id: 'bigint', token: 'text', position: 'bigint' },
  (lease, { joined }) =>
    `select line.line_id, line.lease_token, line.pending,
       next.id, next.message_id, next.label, next.body, next.enqueued_at
     from ${joined} queue_lines as line left join queue_messages as next on next.id =
       (select behind.id from queue_messages as behind
        where behind.line_id = ${lease.line_id} and behind.id > ${lease.position} order by behind.id limit 1)
     where line.line_id = ${lease.line_id} and line.lease_token = ${lease.token}`,
);

type HeldLineRow = Pick<MessageRow, 'line_id'> & { lease_token: string; pending: number };

/**
 * The lines of leases that are still held. Until the transaction ends nobody else takes them: on PostgreSQL their rows are
 * locked, in ascending order. There the next messages are not looked for, since one may come while a row is waited for.
 */
export async function readHeldLines(
  tx: Pick<Transaction, 'dialect' | 'allFor'>,
  leases: readonly Lease[],
): Promise<Map<number, HeldLine>> {
  const held = new Map<number, HeldLine>();
  if (tx.dialect === 'postgres') {
    const rows = await HELD_LINES.all<HeldLineRow>(
      tx,
      leases.map(({ lineId, leaseToken }) => ({ line_id: lineId, token: leaseToken })),
    );
    for (const { line_id, lease_token, pending } of rows)
      held.set(line_id, { leaseToken: lease_token, pending, next: null });
    return held;
  }
  const rows = await HELD_LINES_WITH_NEXT.all<HeldLineRow & (MessageRow | { id: null })>(
    tx,
    leases.map(({ lineId, leaseToken, nextBehind }) => ({
      line_id: lineId,
      token: leaseToken,
      position: nextBehind,
    })),
  );
  for (const row of rows) {
    const next = row.id === null ? null : toMessage(row);
    held.set(row.line_id, { leaseToken: row.lease_token, pending: row.pending, next });
  }
  return held;
}

/**
 * Leases lines whose head is due, longest due first, and answers them with their new receive counts. On PostgreSQL lines
 * that others are at work on are passed over, so that instances never wait for each other here.
 */
export async function leaseDueLines(
  tx: Transaction,
  {
    now,
    leasedUntil,
    leaseToken,
    limit,
  }: { now: number; leasedUntil: number; leaseToken: string; limit: number },
): Promise<Map<number, number>> {
  const due = `select due.line_id from queue_lines as due
    where due.available_at <= ? order by due.available_at limit ?`;
  const rows =
    tx.dialect === 'postgres'
      ? // Materialized: a plan that ran the subquery twice would lock, and then leave out, other lines than it updates.
        await tx.all<{ line_id: number; receive_count: number }>(
          `with taken as materialized (${due} for update skip locked)
           update queue_lines set available_at = ?, lease_token = ?, receive_count = receive_count + 1
           from taken where queue_lines.line_id = taken.line_id
           returning queue_lines.line_id, queue_lines.receive_count`,
          now,
          limit,
          leasedUntil,
          leaseToken,
        )
      : await tx.all<{ line_id: number; receive_count: number }>(
          `update queue_lines set available_at = ?, lease_token = ?, receive_count = receive_count + 1
           where line_id in (${due}) returning line_id, receive_count`,
          leasedUntil,
          leaseToken,
          now,
          limit,
        );
  return new Map(rows.map((row) => [row.line_id, row.receive_count]));
}

/** Up to where a line's messages are done with: those behind are its own. */
function doneTo(lineId: string): string {
  return `(select behind.done_to from queue_lines as behind where behind.line_id = ${lineId})`;
}

const HEADS = new BatchStatement('line', { id: 'bigint' }, (line, { joined, dialect }) => {
  // On PostgreSQL nothing is left behind, and to ask would cost a tenth of its deliveries.
  const isAhead = dialect === 'sqlite' ? `and first.id > ${doneTo(line.id)}` : '';
  return `select head.id, head.line_id, head.message_id, head.label, head.body, head.enqueued_at
     from ${joined} queue_messages as head where head.id =
       (select first.id from queue_messages as first
        where first.line_id = ${line.id} ${isAhead} order by first.id limit 1)`;
});

/** The first message of each line. */
export async function readHeads(
  reader: Pick<Reader, 'allFor'>,
  lineIds: Iterable<number>,
): Promise<QueuedMessage[]> {
  const rows = await HEADS.all<MessageRow>(reader, asIds(lineIds));
  return rows.map(toMessage);
}

/** A head that leaves its line; `doneTo` is its number when it is deleted later, null when that happens at once. */
export interface LeavingHead {
  lineId: number;
  doneTo: number | null;
}

const ADVANCE = new BatchStatement(
  'head',
  { line_id: 'bigint', done_to: 'bigint', now: 'bigint' },
  (head, { from }) =>
    `update queue_lines set pending = pending - 1, receive_count = 0, lease_token = null,
       available_at = case when pending > 1 then ${head.now} else null end,
       done_to = coalesce(${head.done_to}, queue_lines.done_to)
     ${from} where queue_lines.line_id = ${head.line_id}`,
);

/** Takes the heads of held lines off them, and makes the next ones due. */
export async function advanceLines(
  tx: Transaction,
  heads: readonly LeavingHead[],
  now: number,
): Promise<void> {
  await ADVANCE.run(
    tx,
    heads.map(({ lineId, doneTo }) => ({ line_id: lineId, done_to: doneTo, now })),
  );
}

const ADVANCE_AND_LEASE = new BatchStatement(
  'head',
  { line_id: 'bigint', done_to: 'bigint', token: 'text', until: 'bigint' },
  (head, { from }) =>
    `update queue_lines set pending = pending - 1, done_to = coalesce(${head.done_to}, queue_lines.done_to),
       receive_count = case when pending > 1 then 1 else 0 end,
       lease_token = case when pending > 1 then ${head.token} else null end,
       available_at = case when pending > 1 then ${head.until} else null end
     ${from} where queue_lines.line_id = ${head.line_id}`,
);

/** The same, but takes up the next message of each line at once, under a lease of its own. */
export async function advanceAndLeaseLines(
  tx: Transaction,
  heads: readonly LeavingHead[],
  { leasedUntil, leaseToken }: { leasedUntil: number; leaseToken: string },
): Promise<void> {
  await ADVANCE_AND_LEASE.run(
    tx,
    heads.map(({ lineId, doneTo }) => ({
      line_id: lineId,
      done_to: doneTo,
      token: leaseToken,
      until: leasedUntil,
    })),
  );
}

const POSTPONE = new BatchStatement(
  'head',
  { line_id: 'bigint', available_at: 'bigint', uncounted: 'bigint' },
  (head, { from }) =>
    `update queue_lines set lease_token = null, available_at = ${head.available_at},
       receive_count = queue_lines.receive_count - ${head.uncounted}
     ${from} where queue_lines.line_id = ${head.line_id}`,
);

/** Makes the heads of held lines due at moments of their own; uncounts the receive where told. */
export async function postponeLines(
  tx: Transaction,
  heads: readonly { lineId: number; availableAt: number; uncounted: boolean }[],
): Promise<void> {
  await POSTPONE.run(
    tx,
    heads.map(({ lineId, availableAt, uncounted }) => ({
      line_id: lineId,
      available_at: Math.ceil(availableAt),
      uncounted: uncounted ? 1 : 0,
    })),
  );
}

/** The first messages of a line, in order. */
export async function readFirstMessages(
  tx: Transaction,
  lineId: number,
  limit: number,
): Promise<QueuedMessage[]> {
  const rows = await tx.all<MessageRow>(
    `select m.id, m.line_id, m.message_id, m.label, m.body, m.enqueued_at
     from queue_messages as m where m.line_id = ? and m.id > ${doneTo('?')} order by m.id limit ?`,
    lineId,
    lineId,
    limit,
  );
  return rows.map(toMessage);
}

/** Takes messages off a line's count that left it behind its head; the line is not leased. */
export async function subtractFromLine(tx: Transaction, lineId: number, count: number): Promise<void> {
  await tx.run(
    `update queue_lines set pending = pending - ?,
       available_at = case when pending > ? then available_at else null end where line_id = ?`,
    count,
    count,
    lineId,
  );
}

/** The earliest moment at which a head is due; null when nothing waits. */
export async function readNextDue(reader: Pick<Reader, 'all'>): Promise<number | null> {
  const rows = await reader.all<{ next: number | null }>(
    'select min(available_at) as next from queue_lines where available_at is not null',
  );
  return rows[0]?.next ?? null;
}

/** Makes heads due that a process which no longer lives had taken up. */
export async function endAllLeases(tx: Transaction, now: number): Promise<number> {
  return await tx.run(
    'update queue_lines set lease_token = null, available_at = ? where lease_token is not null',
    now,
  );
}

export interface LineRow {
  pending: number;
  available_at: number | null;
  lease_token: string | null;
  receive_count: number;
}

const LINE = 'select pending, available_at, lease_token, receive_count from queue_lines where line_id = ?';

export async function readLine(reader: Pick<Reader, 'all'>, lineId: number): Promise<LineRow | null> {
  const [row] = await reader.all<LineRow>(LINE, lineId);
  return row ?? null;
}

/** The same, and nobody else changes the line until the transaction ends. */
export async function readLockedLine(tx: Transaction, lineId: number): Promise<LineRow | null> {
  const [row] = await tx.all<LineRow>(tx.dialect === 'postgres' ? `${LINE} for update` : LINE, lineId);
  return row ?? null;
}

/** Makes the head of a line that nobody has out due now. */
export async function makeDue(tx: Transaction, lineId: number, now: number): Promise<void> {
  await tx.run(
    'update queue_lines set available_at = ?, lease_token = null where line_id = ? and pending > 0',
    now,
    lineId,
  );
}

/** Takes a head that nobody has out off its line. */
export async function advanceUnleasedLine(tx: Transaction, lineId: number, now: number): Promise<void> {
  await tx.run(
    `update queue_lines set receive_count = 0, lease_token = null, pending = pending - 1,
       available_at = case when pending > 1 then ? else null end where line_id = ? and pending > 0`,
    now,
    lineId,
  );
}

/** With their messages, all of which are done with. */
export async function deleteEmptyLines(tx: Transaction, lineIds: readonly number[]): Promise<void> {
  const ids = JSON.stringify(lineIds.map((id) => ({ id })));
  await tx.run(
    `delete from queue_messages where line_id in
       (select line.line_id from queue_lines as line where line.pending = 0 and line.line_id in
         (select gone.id from ${recordset(tx.dialect, 'gone', { id: 'bigint' })}))`,
    ids,
  );
  await tx.run(
    `delete from queue_lines where pending = 0 and line_id in
       (select gone.id from ${recordset(tx.dialect, 'gone', { id: 'bigint' })})`,
    ids,
  );
}

export async function readExistingLines(tx: Transaction, lineIds: readonly number[]): Promise<Set<number>> {
  const rows = await tx.all<{ line_id: number }>(
    `select line.line_id from queue_lines as line where line.line_id in
       (select wanted.id from ${recordset(tx.dialect, 'wanted', { id: 'bigint' })})`,
    JSON.stringify(lineIds.map((id) => ({ id }))),
  );
  return new Set(rows.map((row) => row.line_id));
}

export interface TotalsRow {
  waiting: number;
  in_flight: number;
  dead_letters: number;
  lines_blocked: number;
  oldest: number | null;
}

export async function readTotals(reader: Pick<Reader, 'all'>, now: number): Promise<TotalsRow> {
  const rows = await reader.all<TotalsRow>(
    `select coalesce(sum(line.pending), 0) as waiting,
       coalesce(sum(case when line.lease_token is not null and line.available_at > ? then 1 else 0 end), 0) as in_flight,
       coalesce(sum(case when line.lease_token is null and line.receive_count > 0 then 1 else 0 end), 0) as lines_blocked,
       (select count(*) from queue_dead_letters) as dead_letters,
       (select first.enqueued_at from queue_messages as first
        where first.id > ${doneTo('first.line_id')} order by first.id limit 1) as oldest
     from queue_lines as line where line.pending > 0`,
    now,
  );
  return rows[0]!;
}

function asIds(ids: Iterable<number>): { id: number }[] {
  return Array.from(ids, (id) => ({ id }));
}

function toMessage(row: MessageRow): QueuedMessage {
  return {
    position: row.id,
    lineId: row.line_id,
    messageId: row.message_id,
    label: row.label,
    body: row.body,
    enqueuedAt: row.enqueued_at,
  };
}
