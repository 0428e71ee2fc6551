import type { Database } from '../../database/database.ts';
import { deleteExpiredLaunches } from './launch-store.ts';

/** How long a launch stays after it expired. */
const KEPT_AFTER_EXPIRY_MS = 24 * 3_600_000;

/** Deletes launches that expired long ago, at most so many; answers how many there were. */
export async function forgetOldLaunches(
  database: Pick<Database, 'transaction'>,
  now: number,
  limit: number,
): Promise<number> {
  return await database.transaction((tx) => deleteExpiredLaunches(tx, now - KEPT_AFTER_EXPIRY_MS, limit));
}
