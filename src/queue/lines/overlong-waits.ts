import type { Transaction } from '../../database/database.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { HELD_UNTIL, type LongestWaits } from '../message-queue.ts';

/** The time that is allowed for waits of engines and for small corrections of the clock. */
const SLACK_MS = MINUTE_MS;

/**
 * Shortens waits that are longer than the given ones. A head that has not failed is due now. A lease, or the wait of a
 * failed head, ends after the longest time from now, so no request in flight loses its lease. Lines on hold stay on
 * hold. Lines that others have locked are skipped until the next call. Returns the number of changed lines.
 */
export async function endOverlongWaits(
  tx: Transaction,
  { now, retryMs, leaseMs }: LongestWaits & { now: number },
): Promise<number> {
  // Materialized: a plan that ran the subquery twice would lock other lines than it updates.
  return await tx.run(
    `with overlong as materialized
       (select line.line_id from queue_lines as line
        where line.available_at > ? and line.available_at < ${HELD_UNTIL}
          and line.available_at > case when line.lease_token is not null then cast(? as bigint)
            when line.receive_count > 0 then cast(? as bigint) else 0 end
        ${tx.dialect === 'postgres' ? 'for update of line skip locked' : ''})
     update queue_lines set available_at = case when lease_token is not null then cast(? as bigint)
       when receive_count > 0 then cast(? as bigint) else cast(? as bigint) end
     where line_id in (select overlong.line_id from overlong)`,
    now + SLACK_MS,
    now + SLACK_MS + leaseMs,
    now + SLACK_MS + retryMs,
    now + leaseMs,
    now + retryMs,
    now,
  );
}

/**
 * Makes heads due that wait although they were received at least `maxReceives` times. Lines on hold stay on hold, and
 * heads in flight in flight. Returns the number of changed lines.
 */
export async function endWaitsAfter(
  tx: Transaction,
  { now, maxReceives }: { now: number; maxReceives: number },
): Promise<number> {
  return await tx.run(
    `with spent as materialized
       (select line.line_id from queue_lines as line
        where line.available_at > ? and line.available_at < ${HELD_UNTIL}
          and line.receive_count >= ? and line.lease_token is null
        ${tx.dialect === 'postgres' ? 'order by line.line_id for update of line' : ''})
     update queue_lines set available_at = ? where line_id in (select spent.line_id from spent)`,
    now,
    maxReceives,
    now,
  );
}
