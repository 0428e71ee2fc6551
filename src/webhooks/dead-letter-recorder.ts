import type { Transaction } from '../database/database.ts';
import type { QueueMessage } from '../queue/message-queue.ts';
import type { DeliveryStatus, StatusReason } from './delivery-history.ts';
import { upsertDeliveries } from './delivery-store.ts';

/**
 * Writes into the history that the queue dead-lettered messages by itself: there was no attempt whose outcome anyone knows,
 * so none is counted and statistics stay as they are. Attempts that were made before stay, too.
 */
export async function recordDeadLettered(
  tx: Transaction,
  messages: readonly QueueMessage[],
  now: number,
): Promise<void> {
  const untried = [0, null, null, null, null, null] as const;
  await upsertDeliveries(
    tx,
    messages.map((message) => [
      message.lineId,
      message.messageId,
      message.label,
      'DEAD_LETTERED' satisfies DeliveryStatus,
      message.body,
      message.enqueuedAt,
      now,
      ...untried,
      'ATTEMPTS_EXHAUSTED' satisfies StatusReason,
    ]),
  );
}
