import { ADVISORY_LOCKS, lockSharedFor } from '../../../database/advisory-locks.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { DAY_MS, SECOND_MS } from '../../../time/units.ts';

/** SQL for the times at which statements are stored, one operation per function. */

/**
 * Locks the storing of statements, shared with others, until the transaction ends. Call it before a statement's `stored`
 * time is set: see {@link selectConsistentThrough}.
 */
export async function lockStoring(tx: Transaction): Promise<void> {
  await lockSharedFor(tx, 'storingStatements');
}

/**
 * Statements that are stored further ahead of the clock are ignored: the clock was wrong when they were stored, and later
 * ones must not follow them for years.
 */
const FOLLOWED_AHEAD_MS = DAY_MS;

/** The latest time, in epoch milliseconds, that new statements follow if one was stored or announced then. */
export function lastFollowed(now: number): number {
  return now + FOLLOWED_AHEAD_MS;
}

/**
 * The earliest time at which the open transaction may store a statement: after all others, even if the clock was set back,
 * and not before it began: see {@link selectConsistentThrough}.
 */
export async function selectEarliestStoring(tx: Transaction, now: number): Promise<number> {
  const began =
    tx.dialect === 'sqlite' ? '0' : 'ceil(extract(epoch from transaction_timestamp()) * 1000)::bigint';
  const [row] = await tx.all<{ newest: number | null; began_at: number }>(
    `select (select max(s.stored_at) from lrs_statements s where s.stored_at <= ?) as newest, ${began} as began_at`,
    lastFollowed(now),
  );
  return Math.max((row?.newest ?? -1) + 1, row?.began_at ?? 0);
}

/** How late a quiet store is announced, since the clocks of two servers of a database may differ by this much. */
const QUIET_MS = 2 * SECOND_MS;

/**
 * The time up to which every stored statement is visible, and that later statements exceed. It is that of the newest statement:
 * the current time may come again, once the clock was set back. On PostgreSQL, concurrent transactions may commit in a
 * different order from their `stored` times. No statement of an open transaction is older than the transaction itself.
 */
export async function selectConsistentThrough(reader: Reader, now: number): Promise<number> {
  const began =
    reader.dialect === 'sqlite'
      ? 'null'
      : `(select floor(extract(epoch from min(a.xact_start)) * 1000)::bigint
          from pg_locks l join pg_stat_activity a on a.pid = l.pid
          where l.locktype = 'advisory'
            and l.database = (select oid from pg_database where datname = current_database())
            and (l.classid::bigint << 32) + l.objid::bigint = ${ADVISORY_LOCKS.storingStatements})`;
  // In one statement: what commits after the newest one was read is among the open transactions.
  const [row] = await reader.all<{ newest: number | null; began_at: number | null }>(
    `select (select max(s.stored_at) from lrs_statements s where s.stored_at <= ?) as newest, ${began} as began_at`,
    lastFollowed(now),
  );
  const through = Math.max(row?.newest ?? 0, now - QUIET_MS);
  return Math.min(through, (row?.began_at ?? Number.POSITIVE_INFINITY) - 1);
}
