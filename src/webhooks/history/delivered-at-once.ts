import type { NamedRow } from '../../database/database.ts';
import type { RecordingSteps } from '../../queue/message-queue.ts';
import { insertDeliveredSql } from './delivery-store.ts';
import { attemptColumns, type DeliverySettlement } from './record-outcomes.ts';
import { addSuccessesSql } from './statistics-store.ts';

/** A message that was delivered at its first attempt. No earlier attempt has to be archived. */
export type DeliveredAtOnce = Extract<DeliverySettlement, { action: 'delete' }>;

/** Whether a settlement is that of a message that was delivered at its first attempt. */
export function isDeliveredAtOnce<S extends DeliverySettlement>(
  settlement: S,
): settlement is S & DeliveredAtOnce {
  const { action, outcome, message } = settlement;
  return action === 'delete' && outcome.succeeded && message.receiveCount === 1;
}

/** Writes what `recordOutcomes` would write for such messages, in the statement that settles them. */
export const RECORD_DELIVERED: RecordingSteps = {
  columns: {
    updated_at: 'bigint',
    attempts: 'bigint',
    attempted_at: 'bigint',
    duration_ms: 'bigint',
    response_status: 'bigint',
    response_body: 'text',
    error: 'text',
    resent: 'bigint',
    headers: 'text',
  },
  changes: { history: insertDeliveredSql('settled'), statistics: addSuccessesSql('settled') },
};

/** The values of {@link RECORD_DELIVERED} for a message. */
export function deliveredRow({ outcome }: DeliveredAtOnce): NamedRow {
  return attemptColumns(outcome);
}
