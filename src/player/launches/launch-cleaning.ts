import type { Database } from '../../database/database.ts';
import { DAY_MS } from '../../time/units.ts';
import { deleteExpiredLaunches } from './launch-store.ts';

/** How long an expired launch is kept. */
const KEPT_AFTER_EXPIRY_MS = DAY_MS;

/** Deletes at most `limit` launches that expired long ago. Returns the number deleted. */
export async function forgetOldLaunches(
  database: Pick<Database, 'transaction'>,
  now: number,
  limit: number,
): Promise<number> {
  return await database.transaction((tx) => deleteExpiredLaunches(tx, now - KEPT_AFTER_EXPIRY_MS, limit));
}
