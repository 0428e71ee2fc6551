import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { QueueMessage } from '../../queue/message-queue.ts';
import type { LoggingMode } from '../configuration/logging-mode.ts';
import type { StoredWebhook } from '../configuration/webhook-store.ts';
import { type DeliveryLog, removalOf } from '../history/delivery-log.ts';
import { markDeadLettered } from '../history/delivery-store.ts';

/** What skipping the head of a line and removing its other messages have in common. */

/** `Retry-After` for an action on a message in flight, in seconds. */
const IN_FLIGHT_RETRY_AFTER = '5';

/** Records in the history, the audit log and the delivery log that someone moved a message to the dead-letter queue. */
export async function recordSkipped(
  tx: Transaction,
  webhook: StoredWebhook,
  message: QueueMessage,
  { by, at, deliveryLog }: { by: Actor; at: number; deliveryLog: Pick<DeliveryLog, 'deadLettered'> },
): Promise<void> {
  const { id, name } = webhook;
  await markDeadLettered(tx, message, at);
  const details = { message_id: message.messageId, subtopic: message.label };
  await recordAudit(tx, { by, action: 'MESSAGE_SKIPPED', id, name, details }, at);
  tx.onCommit(() =>
    deliveryLog.deadLettered(removalOf(webhook.logging_mode as LoggingMode, message, 'SKIPPED')),
  );
}

/** The conflict of an action with the attempt in progress. */
export function inFlightConflict(what: string): ProblemError {
  return new ProblemError('conflict', `${what} is being delivered right now`, {
    headers: { 'Retry-After': IN_FLIGHT_RETRY_AFTER },
  });
}
