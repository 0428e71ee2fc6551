import type { Transaction } from '../../database/database.ts';
import type { QueueMessage } from '../../queue/message-queue.ts';
import type { WholeBody } from '../../queue/shared-bodies.ts';
import { archiveLatestAttempts, markQueued, type StoredDelivery } from './delivery-store.ts';

/**
 * Records in the history that messages wait again: archives their latest attempts and makes their deliveries wait. The
 * caller has locked the deliveries and appends the messages to their lines.
 */
export async function requeueDeliveries(
  tx: Transaction,
  deliveries: readonly Pick<StoredDelivery, 'id' | 'message_id'>[],
  now: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  await archiveLatestAttempts(
    tx,
    deliveries.map((delivery) => delivery.message_id),
  );
  await markQueued(
    tx,
    deliveries.map((delivery) => delivery.id),
    now,
  );
}

/** The message of a delivery, as it was queued the first time. */
export function messageOf(delivery: StoredDelivery, body: WholeBody): QueueMessage {
  return {
    lineId: delivery.webhook_id,
    messageId: delivery.message_id,
    label: delivery.subtopic,
    ...body,
    occurredAt: delivery.enqueued_at,
  };
}
