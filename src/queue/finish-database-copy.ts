import type { Transaction } from '../database/database.ts';
import { deleteDoneMessages } from './lines/done-messages.ts';

/**
 * Completes a copy of the database in PostgreSQL: deletes settled messages, which only the embedded database keeps for
 * a while.
 */
export async function finishDatabaseCopy(tx: Transaction): Promise<void> {
  await deleteDoneMessages(tx);
}
