import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader } from '../../database/database.ts';
import type { DeliveryStatus } from './delivery-status.ts';

/** What the history says about a message. */
export interface MessageOutcome {
  id: number;
  message_id: string;
  status: DeliveryStatus;
  status_reason: string | null;
  attempts: number;
  updated_at: number;
  response_status: number | null;
  error: string | null;
}

const OUTCOMES = new BatchStatement(
  'wanted',
  { message_id: 'text' },
  (wanted, { joined }) =>
    `select deliveries.id, deliveries.message_id, deliveries.status, deliveries.status_reason, deliveries.attempts,
       deliveries.updated_at, deliveries.response_status, deliveries.error
     from ${joined} deliveries where deliveries.message_id = ${wanted.message_id}`,
);

/** The outcomes of messages, by message id. Messages without a history entry are missing: nothing has happened to them yet. */
export async function readMessageOutcomes(
  reader: Pick<Reader, 'allFor'>,
  messageIds: readonly string[],
): Promise<Map<string, MessageOutcome>> {
  const rows = await OUTCOMES.all<MessageOutcome>(
    reader,
    messageIds.map((id) => ({ message_id: id })),
  );
  return new Map(rows.map((row) => [row.message_id, row]));
}
