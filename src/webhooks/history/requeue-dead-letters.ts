import type { Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import type { QueueMessage } from '../../queue/message-queue.ts';
import { ENABLED_SQL } from '../configuration/webhook-state.ts';
import { isWaitingStatus } from './delivery-status.ts';
import { lockDeliveries } from './redeliverable-store.ts';
import { requeueDeliveries } from './requeue.ts';

/**
 * Records in the history that dead letters wait again because someone moved their copies back to the queue. Their
 * lines must be locked, as in any other redelivery. Messages of inactive or deleted webhooks stay dead letters,
 * because they would be discarded. Messages that already wait stay dead letters, too, because they would be twice in
 * their lines.
 * @returns the messages that are to be redelivered, in the given order
 */
export async function requeueDeadLetters<M extends QueueMessage>(
  tx: Transaction,
  messages: readonly M[],
  now: number,
): Promise<M[]> {
  const rows = (await readOfEnabledWebhooks(tx, messages)).filter(
    ({ status }) => status === null || !isWaitingStatus(status),
  );
  // The history of a dead letter may have been removed, also since it was read.
  const read = rows.flatMap(({ delivery_id: id, message_id }) => (id === null ? [] : [{ id, message_id }]));
  await requeueDeliveries(tx, await lockDeliveries(tx, read), now);
  const ids = new Set(rows.map((row) => row.message_id));
  return messages.filter(({ messageId }) => ids.has(messageId));
}

/** The messages of webhooks that are neither inactive nor deleted, with their deliveries. */
async function readOfEnabledWebhooks(
  tx: Transaction,
  messages: readonly QueueMessage[],
): Promise<{ message_id: string; delivery_id: number | null; status: string | null }[]> {
  return await tx.all(
    `select dead.id as message_id, past.id as delivery_id, past.status
     from ${recordset(tx.dialect, 'dead', { id: 'text', webhook: 'bigint' })}
     cross join webhooks left join deliveries as past on past.message_id = dead.id
     where webhooks.id = dead.webhook and ${ENABLED_SQL}`,
    JSON.stringify(messages.map(({ messageId, lineId }) => ({ id: messageId, webhook: lineId }))),
  );
}
