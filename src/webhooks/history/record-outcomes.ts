import type { Transaction } from '../../database/database.ts';
import type { QueueMessage, Settled, Settlement } from '../../queue/message-queue.ts';
import type { DeliveryStatus, DiscardReason } from './delivery-status.ts';
import {
  archiveLatestAttempts,
  type NewDelivery,
  removedDelivery,
  untriedDelivery,
  upsertDeliveries,
} from './delivery-store.ts';
import { addToStatistics, type StatisticsChange } from './statistics-store.ts';

/** Number of characters of a target's response that the history stores for each attempt. */
const MAX_RESPONSE_KEPT = 8_192;

/** An attempt that was made. */
export interface AttemptOutcome {
  kind: 'attempt';
  succeeded: boolean;
  /** Epoch milliseconds at which it ended. */
  endedAt: number;
  durationMs: number;
  responseStatus: number | null;
  responseBody: string | null;
  /** The target closed an idle connection while the request was being written, so the request was sent once more. */
  resent: boolean;
  /** The headers in their stored form (`attempt-headers.ts`); null if they are not kept. */
  headers: string | null;
  /** The complete text for `last_error_message`; null for a success. */
  error: string | null;
}

/** A message that leaves the queue without an attempt. */
interface DiscardOutcome {
  kind: 'discard';
  reason: DiscardReason;
  at: number;
}

/** A message that is dead-lettered without another attempt, because it has had all of its attempts. */
interface ExhaustedOutcome {
  kind: 'exhausted';
  at: number;
}

/**
 * A message that returns to its line without a counted attempt. For example, the service stops, its webhook is paused or
 * unreadable, its origin is at its limit, or this machine has no connection.
 */
export interface ReleaseOutcome {
  kind: 'release';
}

type SettlementBy<Action extends Settlement['action']> = Extract<Settlement, { action: Action }>;

/** A settlement after an attempt: the message was delivered, waits for the next attempt, or is a dead letter. */
export type AttemptSettlement = SettlementBy<'delete' | 'retry' | 'dead-letter'> & {
  outcome: AttemptOutcome;
};

/** A settlement with what happened to its message. */
export type DeliverySettlement =
  | AttemptSettlement
  | (SettlementBy<'discard'> & { outcome: DiscardOutcome })
  | (SettlementBy<'dead-letter'> & { outcome: ExhaustedOutcome })
  | (SettlementBy<'release'> & { outcome: ReleaseOutcome });

/**
 * Writes the outcomes of messages to history and statistics, in the transaction that settles them on the queue,
 * so that all three always agree. A batch costs a few statements, whatever its size.
 */
export async function recordOutcomes(
  tx: Transaction,
  settled: readonly Settled<DeliverySettlement>[],
): Promise<void> {
  if (settled.length === 0) return;
  const rows: NewDelivery[] = [];
  const triedBefore: string[] = [];
  const statistics = new Map<number, StatisticsChange>();
  for (const { settlement, discarded } of settled) {
    const { outcome, message } = settlement;
    if (outcome.kind === 'attempt') {
      if (message.receiveCount > 1) triedBefore.push(message.messageId);
      rows.push(attemptRow(message, outcome, settlement.action));
      countAttempt(statistics, message.lineId, outcome);
    } else if (outcome.kind === 'discard') {
      for (const each of [message, ...discarded])
        rows.push(removedDelivery(each, 'DISCARDED', outcome.reason, outcome.at));
    } else if (outcome.kind === 'exhausted') {
      rows.push(removedDelivery(message, 'DEAD_LETTERED', 'ATTEMPTS_EXHAUSTED', outcome.at));
    }
  }
  // In this order, but without waiting for each other's results, so that the server receives them together.
  await Promise.all([
    triedBefore.length > 0 ? archiveLatestAttempts(tx, triedBefore) : undefined,
    upsertDeliveries(tx, rows),
    statistics.size > 0 ? addToStatistics(tx, [...statistics.values()]) : undefined,
  ]);
}

function attemptRow(
  message: QueueMessage,
  outcome: AttemptOutcome,
  action: Settlement['action'],
): NewDelivery {
  const status: DeliveryStatus = outcome.succeeded
    ? 'DELIVERED'
    : action === 'dead-letter'
      ? 'DEAD_LETTERED'
      : 'RETRYING';
  return {
    ...untriedDelivery(message),
    ...attemptColumns(outcome),
    status,
    status_reason: status === 'DEAD_LETTERED' ? 'ATTEMPTS_EXHAUSTED' : null,
  };
}

/** The columns of a delivery that describe its latest attempt. */
export function attemptColumns(outcome: AttemptOutcome) {
  const durationMs = Math.round(outcome.durationMs);
  return {
    updated_at: outcome.endedAt,
    attempts: 1,
    attempted_at: outcome.endedAt - durationMs,
    duration_ms: durationMs,
    response_status: outcome.responseStatus,
    response_body: outcome.responseBody?.slice(0, MAX_RESPONSE_KEPT) ?? null,
    error: outcome.error,
    resent: outcome.resent ? 1 : 0,
    headers: outcome.headers,
  };
}

function countAttempt(
  statistics: Map<number, StatisticsChange>,
  webhookId: number,
  outcome: AttemptOutcome,
): void {
  let change = statistics.get(webhookId);
  if (change === undefined) {
    change = {
      webhook_id: webhookId,
      successes: 0,
      success_at: null,
      errors: 0,
      error_at: null,
      error: null,
      in_error: 0,
      run_errors: 0,
      run_since: null,
    };
    statistics.set(webhookId, change);
  }
  if (outcome.succeeded) {
    change.successes += 1;
    change.success_at = outcome.endedAt;
    change.in_error = 0;
    change.run_errors = 0;
    change.run_since = null;
  } else {
    change.errors += 1;
    change.error_at = outcome.endedAt;
    change.error = outcome.error;
    change.in_error = 1;
    change.run_errors += 1;
    change.run_since ??= outcome.endedAt;
  }
}
