import type { Dialect } from '../database/database.ts';
import { inLineSql, lineOrderSql } from './lines/in-line.ts';

/** Facts about lines for other slices, for rows and as SQL. Only the queue knows how messages are stored. */

export { waitingInLineSql } from './lines/done-to.ts';
export { blockedSql, isBlocked, isInFlight } from './lines/line-state.ts';

/**
 * SQL of the time since when the head of a line waits, in epoch milliseconds; null if the line is empty.
 * @param line names the row in `queue_lines`
 */
export function headWaitsSinceSql(dialect: Dialect, line: string): string {
  return `(select coalesce(first.queued_at, first.enqueued_at) from queue_messages as first
    where ${inLineSql(dialect, { message: 'first', line: `${line}.line_id`, after: '0' })}
    order by ${lineOrderSql(dialect, 'first')} limit 1)`;
}
