import { runSql } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';

/**
 * Ends the leases of a killed process. On PostgreSQL they expire by themselves some time after the longest possible
 * postback, since the process might be alive elsewhere. Tests need not wait for that.
 */
export async function endDeadLeases(dataDir: string): Promise<void> {
  if (!ON_POSTGRES) return;
  await runSql(dataDir, 'update queue_lines set available_at = 0 where lease_token is not null');
}
