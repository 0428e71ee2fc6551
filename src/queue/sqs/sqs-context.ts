import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import type { SqsApi } from './sqs-api.ts';
import type { SqsHealth } from './sqs-health.ts';

/** What the parts of the engine work with. */
export interface SqsContext {
  database: Database;
  api: SqsApi;
  health: SqsHealth;
  log: Logger;
  /** The id of the installation that the queues belong to. */
  installation: string;
  /** Whether this instance delivers. */
  polls: boolean;
  now: () => number;
}
