import type { Database } from '../../src/database/database.ts';
import { Cleaner } from '../../src/housekeeping/cleaner.ts';
import { TaskLeases } from '../../src/housekeeping/task-leases.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import {
  type HistoryCleaningDependencies,
  historyCleaningSteps,
} from '../../src/webhooks/history-cleaning.ts';
import { SILENT_LOGS } from './logs.ts';

/** A cleaner of the history of deliveries that has not started yet. */
export function historyCleaner(
  database: Database,
  {
    lines = new DatabaseQueue({ database, maxReceives: 1_000, now: Date.now }),
    historyDays = 30,
    deadLetterDays = 90,
    now = Date.now,
  }: Partial<HistoryCleaningDependencies> = {},
): Cleaner {
  return new Cleaner({
    steps: historyCleaningSteps({ database, lines, historyDays, deadLetterDays, now }),
    leases: new TaskLeases({ database, now: Date.now }),
    log: SILENT_LOGS.for('Cleaner'),
    now: Date.now,
  });
}
