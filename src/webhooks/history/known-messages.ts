import type { Reader } from '../../database/database.ts';
import { recordset, toIdList } from '../../database/recordset.ts';
import { isWaitingStatus } from './delivery-status.ts';

/**
 * The messages that the history knows, and whether each is settled, which means that it is not retried
 * automatically.
 */
export async function readKnownMessages(
  reader: Pick<Reader, 'all' | 'dialect'>,
  messageIds: readonly string[],
): Promise<Map<string, boolean>> {
  const rows = await reader.all<{ message_id: string; status: string }>(
    `select past.message_id, past.status from ${recordset(reader.dialect, 'given', { id: 'text' })}
     cross join deliveries as past where past.message_id = given.id`,
    toIdList(messageIds),
  );
  return new Map(rows.map(({ message_id, status }) => [message_id, !isWaitingStatus(status)]));
}
