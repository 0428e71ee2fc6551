import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader } from '../../database/database.ts';
import { toIdRows } from '../../database/recordset.ts';
import { waitingInLineSql } from './done-to.ts';

const WAITING_AGAIN = new BatchStatement(
  'wanted',
  { id: 'text' },
  (wanted, { joined }) =>
    `select again.message_id from ${joined} queue_messages as again
     where again.message_id = ${wanted.id} and again.queued_at is not null
       and ${waitingInLineSql('again', 'again.line_id')}`,
);

/** Returns the messages of the list that wait after a redelivery or replay. */
export async function readWaitingAgain(
  reader: Pick<Reader, 'allFor'>,
  messageIds: readonly string[],
): Promise<string[]> {
  const rows = await WAITING_AGAIN.all<{ message_id: string }>(reader, toIdRows(messageIds));
  return rows.map((row) => row.message_id);
}
