import type { Reader, Transaction } from '../../database/database.ts';
import { SET_BACK_MS } from '../../time/set-back.ts';

/**
 * SQL for the moment up to which dead letters have been looked for, one operation per function. Times are in epoch
 * milliseconds. The moment has a row of its own among the leases, which have a time, too.
 */

const ROW = 'dead-letter-alerts';
/** The token of a lease. Nobody leases this row. */
const NO_TOKEN = '';

/** When instances last looked for dead letters; null if it is unknown. */
export async function readLastEvaluation(reader: Pick<Reader, 'all'>): Promise<number | null> {
  const [row] = await reader.all<{ leased_until: number }>(
    'select leased_until from task_leases where task = ?',
    ROW,
  );
  return row === undefined ? null : Number(row.leased_until);
}

/** Records that dead letters were looked for, unless a later moment is recorded. */
export async function noteEvaluation(tx: Transaction, at: number): Promise<void> {
  await tx.run(
    `insert into task_leases (task, token, leased_until) values (?, ?, ?)
     on conflict (task) do update set leased_until = excluded.leased_until
     where task_leases.leased_until < excluded.leased_until or task_leases.leased_until > ?`,
    ROW,
    NO_TOKEN,
    at,
    at + SET_BACK_MS,
  );
}

/** Records the time of the first rule, which need not look for earlier dead letters. */
export async function noteFirstRule(tx: Transaction, at: number): Promise<void> {
  await tx.run(
    'insert into task_leases (task, token, leased_until) values (?, ?, ?) on conflict (task) do nothing',
    ROW,
    NO_TOKEN,
    at,
  );
}
