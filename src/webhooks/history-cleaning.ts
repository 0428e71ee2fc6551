import type { Database } from '../database/database.ts';
import type { CleaningStep } from '../housekeeping/cleaner.ts';
import type { DeadLetterQueue, LineActions } from '../queue/message-queue.ts';
import { retainedSince } from '../time/retention.ts';
import { eraseWebhooks } from './configuration/webhook-store.ts';
import { deleteEventsBefore } from './events/event-blocks.ts';
import { deleteDeadLetteredHistoryBefore, deleteHistoryBefore } from './history/delivery-store.ts';
import { readForgottenWebhooks } from './history/history-index-store.ts';

/** Dependencies of {@link historyCleaningSteps}. */
export interface HistoryCleaningDependencies {
  database: Database;
  lines: LineActions & DeadLetterQueue;
  historyDays: number;
  deadLetterDays: number;
  now: () => number;
}

/** Steps that keep events, history, dead letters and deleted webhooks from growing without limit. */
export function historyCleaningSteps(dependencies: HistoryCleaningDependencies): CleaningStep[] {
  const { database, lines, historyDays, deadLetterDays, now } = dependencies;
  const historyBefore = () => retainedSince(now(), historyDays);
  const deadBefore = () => retainedSince(now(), deadLetterDays);
  return [
    {
      name: 'delivered and discarded messages',
      run: (limit) => database.transaction((tx) => deleteHistoryBefore(tx, historyBefore(), limit)),
    },
    {
      name: 'history of dead letters',
      run: (limit) => database.transaction((tx) => deleteDeadLetteredHistoryBefore(tx, deadBefore(), limit)),
    },
    { name: 'dead letters', run: (limit) => lines.removeDeadLettersBefore(deadBefore(), limit) },
    {
      name: 'events',
      run: (limit) => database.transaction((tx) => deleteEventsBefore(tx, historyBefore(), limit)),
    },
    {
      name: 'deleted webhooks',
      run: (limit) => eraseForgottenWebhooks(dependencies, historyBefore(), limit),
    },
  ];
}

async function eraseForgottenWebhooks(
  { database, lines }: HistoryCleaningDependencies,
  before: number,
  limit: number,
): Promise<number> {
  return await database.transaction(async (tx) => {
    const forgotten = await readForgottenWebhooks(tx, before, limit);
    const empty = await lines.forgetLines(tx, forgotten);
    if (empty.length > 0) await eraseWebhooks(tx, empty);
    return empty.length;
  });
}
