import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import type { MessageLease } from '../message-queue.ts';

/** SQL for message leases, one operation per function. Each handles a whole batch in one statement. */

/** A line whose lease is still valid. */
export interface LeasedLine {
  leaseToken: string;
  /** The number of messages in the line. */
  pending: number;
}

const LEASED_LINES = new BatchStatement(
  'lease',
  { line_id: 'bigint', token: 'text' },
  (lease, { joined, dialect }) =>
    `select line.line_id, line.lease_token, line.pending from ${joined} queue_lines as line
     where line.line_id = ${lease.line_id} and line.lease_token = ${lease.token}
     ${dialect === 'postgres' ? 'order by line.line_id for update of line' : ''}`,
);

/**
 * The lines of leases that are still valid, by id. They stay locked until the transaction ends: on PostgreSQL, their
 * rows are locked in ascending order.
 */
export async function lockLeasedLines(
  tx: Pick<Transaction, 'allFor'>,
  leases: readonly MessageLease[],
): Promise<Map<number, LeasedLine>> {
  const rows = await LEASED_LINES.all<{ line_id: number; lease_token: string; pending: number }>(
    tx,
    leases.map(({ lineId, leaseToken }) => ({ line_id: lineId, token: leaseToken })),
  );
  return new Map(rows.map((row) => [row.line_id, { leaseToken: row.lease_token, pending: row.pending }]));
}

/** Whether a line has this lease. Locks nothing. */
export async function hasLease(
  reader: Pick<Reader, 'all'>,
  { lineId, leaseToken }: MessageLease,
): Promise<boolean> {
  const rows = await reader.all(
    'select 1 as found from queue_lines where line_id = ? and lease_token = ?',
    lineId,
    leaseToken,
  );
  return rows.length > 0;
}

/**
 * Leases lines whose head is due, longest due first, and returns them with their new receive counts. On PostgreSQL,
 * locked lines are skipped, so that instances never wait for each other here.
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
      ? // Materialized, because a plan that ran the subquery twice would lock, and then skip, other lines than it updates.
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

/**
 * A head that leaves its line. `doneTo` is its position if it is deleted later, or null if it is deleted immediately.
 */
export interface LeavingHead {
  lineId: number;
  doneTo: number | null;
  /** The lease of the next message, which must exist. Null makes the next message due. */
  nextLease: NextLease | null;
}

/** The next lease of a line; `leasedUntil` in epoch milliseconds. */
export interface NextLease {
  leaseToken: string;
  leasedUntil: number;
}

const ADVANCE = new BatchStatement(
  'head',
  { line_id: 'bigint', done_to: 'bigint', token: 'text', available_at: 'bigint', receives: 'bigint' },
  (head, { from }) =>
    `update queue_lines set pending = pending - 1, receive_count = ${head.receives}, lease_token = ${head.token},
       available_at = case when pending > 1 then ${head.available_at} else null end,
       done_to = coalesce(${head.done_to}, queue_lines.done_to)
     ${from} where queue_lines.line_id = ${head.line_id}`,
);

/** Removes the heads of locked lines, and leases the next messages or makes them due. */
export async function advanceLines(
  tx: Transaction,
  heads: readonly LeavingHead[],
  now: number,
): Promise<void> {
  await ADVANCE.run(
    tx,
    heads.map(({ lineId, doneTo, nextLease }) => ({
      line_id: lineId,
      done_to: doneTo,
      token: nextLease?.leaseToken ?? null,
      available_at: nextLease?.leasedUntil ?? now,
      receives: nextLease === null ? 0 : 1,
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

/** Sets when the heads of locked lines are due, and optionally does not count this receive. */
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

/** Ends the leases of a dead process, so that its heads are due. */
export async function endAllLeases(tx: Transaction, now: number): Promise<void> {
  await tx.run(
    'update queue_lines set lease_token = null, available_at = ? where lease_token is not null',
    now,
  );
}

/**
 * Ends the leases whose token starts with `prefix` (without `%` and `_`), except the given ones, and does not count
 * their receives. Returns the number of ended leases.
 */
export async function endOtherLeases(
  tx: Transaction,
  prefix: string,
  held: readonly MessageLease[],
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
