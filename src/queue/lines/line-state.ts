import type { LineState, MessageOutline } from '../message-queue.ts';
import { waitingSince } from '../waiting-since.ts';

/** The definitions of "in flight" and "blocked", as SQL and for rows. Every reader of lines uses these. */

/** The columns of `queue_lines` that say whether a head is in flight. */
export interface LeaseColumns {
  lease_token: string | null;
  /** The end of the lease while the head is in flight; otherwise, when the head is due. */
  available_at: number | null;
}

/** Whether the head is in flight: its lease has not expired. A dead instance leaves a lease that expires. */
export function isInFlight({ lease_token, available_at }: LeaseColumns, now: number): boolean {
  return lease_token !== null && (available_at ?? 0) > now;
}

/**
 * Whether the head has failed, so that the messages behind it wait. Its next attempt may be in flight. An attempt whose
 * instance died has failed.
 */
export function isBlocked({ receiveCount, inFlight }: { receiveCount: number; inFlight: boolean }): boolean {
  return receiveCount > (inFlight ? 1 : 0);
}

/** The state of a line that is not empty. */
export function lineState(
  line: LeaseColumns & { pending: number; receive_count: number },
  head: MessageOutline,
  now: number,
): LineState {
  const dueAt = line.available_at ?? now;
  return {
    depth: line.pending,
    head: {
      messageId: head.messageId,
      label: head.label,
      occurredAt: head.occurredAt,
      receiveCount: line.receive_count,
      waitingSince: waitingSince(head),
      inFlight: isInFlight(line, now),
      // A head without attempts counts as due, even if its engine lets it wait.
      availableAt: line.receive_count === 0 ? Math.min(dueAt, now) : dueAt,
    },
  };
}

/**
 * {@link isInFlight} in SQL. Its parameter is the current time.
 * @param line names the row in `queue_lines`
 */
export function inFlightSql(line: string): string {
  return `${line}.lease_token is not null and ${line}.available_at > ?`;
}

/**
 * {@link isBlocked} in SQL, for a line that is not empty. Its parameter is the current time.
 * @param line names the row in `queue_lines`
 */
export function blockedSql(line: string): string {
  return `${line}.receive_count > case when ${inFlightSql(line)} then 1 else 0 end`;
}
