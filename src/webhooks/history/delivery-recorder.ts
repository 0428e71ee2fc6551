import type { SqlRow, Transaction } from '../../database/database.ts';
import type { QueueMessage, Settled, Settlement } from '../../queue/message-queue.ts';
import {
  type AttemptOutcome,
  type DeliveryOutcome,
  type DeliveryStatus,
  type DiscardOutcome,
  MAX_RESPONSE_KEPT,
} from './delivery-history.ts';
import { archiveLatestAttempts, upsertDeliveries } from './delivery-store.ts';
import { addToStatistics, type StatisticsChange } from './statistics-store.ts';

/** A settlement with what happened to its message. */
export type DeliverySettlement = Settlement & { outcome: DeliveryOutcome };

/**
 * Writes the outcomes of messages to history and statistics, in the transaction that settles them on the queue,
 * so that all three always agree. A batch costs a few statements, whatever its size.
 */
export async function recordDeliveries(
  tx: Transaction,
  settled: readonly Settled<DeliverySettlement>[],
): Promise<void> {
  if (settled.length === 0) return;
  const rows: SqlRow[] = [];
  const triedBefore: string[] = [];
  const statistics = new Map<number, StatisticsChange>();
  for (const { settlement, discarded } of settled) {
    const { outcome, message } = settlement;
    if (outcome.kind === 'attempt') {
      if (message.receiveCount > 1) triedBefore.push(message.messageId);
      rows.push(attemptRow(message, outcome, settlement.action));
      countAttempt(statistics, message.lineId, outcome);
    } else if (outcome.kind === 'discard') {
      for (const each of [message, ...discarded]) rows.push(discardRow(each, outcome));
    }
  }
  // In this order, but none waits for another's result: a server gets them in one go.
  await Promise.all([
    triedBefore.length > 0 ? archiveLatestAttempts(tx, triedBefore) : undefined,
    upsertDeliveries(tx, rows),
    statistics.size > 0 ? addToStatistics(tx, [...statistics.values()]) : undefined,
  ]);
}

function attemptRow(message: QueueMessage, outcome: AttemptOutcome, action: Settlement['action']): SqlRow {
  const status: DeliveryStatus = outcome.succeeded
    ? 'DELIVERED'
    : action === 'dead-letter'
      ? 'DEAD_LETTERED'
      : 'RETRYING';
  const durationMs = Math.round(outcome.durationMs);
  return [
    message.lineId,
    message.messageId,
    message.label,
    status,
    message.shared?.own ?? message.body,
    message.shared?.id ?? null,
    message.enqueuedAt,
    outcome.endedAt,
    1,
    outcome.endedAt - durationMs,
    durationMs,
    outcome.responseStatus,
    outcome.responseBody?.slice(0, MAX_RESPONSE_KEPT) ?? null,
    outcome.error,
    status === 'DEAD_LETTERED' ? 'ATTEMPTS_EXHAUSTED' : null,
    outcome.resent ? 1 : 0,
  ];
}

function discardRow(message: QueueMessage, outcome: DiscardOutcome): SqlRow {
  return [
    message.lineId,
    message.messageId,
    message.label,
    'DISCARDED',
    message.shared?.own ?? message.body,
    message.shared?.id ?? null,
    message.enqueuedAt,
    outcome.at,
    0,
    null,
    null,
    null,
    null,
    null,
    outcome.reason,
    0,
  ];
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
    };
    statistics.set(webhookId, change);
  }
  if (outcome.succeeded) {
    change.successes += 1;
    change.success_at = outcome.endedAt;
    change.in_error = 0;
  } else {
    change.errors += 1;
    change.error_at = outcome.endedAt;
    change.error = outcome.error;
    change.in_error = 1;
  }
}
