import type { Transaction } from '../database/database.ts';
import { deleteDoneMessages } from './lines/done-messages.ts';

/** Completes a copy of the queue in a PostgreSQL database: some rows mean something only to the embedded database. */
export async function finishDatabaseCopy(tx: Transaction): Promise<void> {
  await deleteDoneMessages(tx);
}
