import { runSql } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';

/**
 * Ends the leases of a process that was killed. On PostgreSQL they end by themselves, some time after the longest that a
 * postback may take, since the process might be alive elsewhere; tests need not wait for it.
 */
export async function endDeadLeases(dataDir: string): Promise<void> {
  if (!ON_POSTGRES) return;
  await runSql(dataDir, 'update queue_lines set available_at = 0 where lease_token is not null');
}
