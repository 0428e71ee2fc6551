import { BatchStatement } from '../../database/batch-statement.ts';
import type { Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import type { QueuedMessage, ReceivedMessage } from '../message-queue.ts';
import { type MessageRow, toMessages } from './database-queue-statements.ts';

/** SQL of who has which line's head out, one operation a function; each handles a whole batch in one statement. */

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
       next.id, next.message_id, next.label, next.stored_body as body, next.shared_body_id, next.enqueued_at
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
  const next = await toMessages(tx, rows.filter(hasNext));
  const nextOf = new Map(next.map((message) => [message.lineId, message]));
  for (const { line_id, lease_token, pending } of rows)
    held.set(line_id, { leaseToken: lease_token, pending, next: nextOf.get(line_id) ?? null });
  return held;
}

function hasNext(row: HeldLineRow & (MessageRow | { id: null })): row is HeldLineRow & MessageRow {
  return row.id !== null;
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

/** Makes heads due that a process which no longer lives had taken up. */
export async function endAllLeases(tx: Transaction, now: number): Promise<number> {
  return await tx.run(
    'update queue_lines set lease_token = null, available_at = ? where lease_token is not null',
    now,
  );
}

/**
 * Ends the leases whose token begins with `prefix` (without `%` and `_`), except those that are named as held, and uncounts their receives.
 * Answers how many ended.
 */
export async function endOtherLeases(
  tx: Transaction,
  prefix: string,
  held: readonly Pick<ReceivedMessage, 'lineId' | 'leaseToken'>[],
  now: number,
): Promise<number> {
  return await tx.run(
    `update queue_lines set lease_token = null, available_at = ?, receive_count = receive_count - 1
     where lease_token like ? and not exists
       (select 1 from ${recordset(tx.dialect, 'held', { line_id: 'bigint', token: 'text' })}
        where held.line_id = queue_lines.line_id and held.token = queue_lines.lease_token)`,
    now,
    `${prefix}%`,
    JSON.stringify(held.map(({ lineId, leaseToken }) => ({ line_id: lineId, token: leaseToken }))),
  );
}
