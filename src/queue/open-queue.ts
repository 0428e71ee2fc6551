import type { Database } from '../database/database.ts';
import { installationOf } from '../database/installation.ts';
import type { Logger } from '../observability/log.ts';
import type { Settings } from '../settings/settings-table.ts';
import { sqsPlaceOf } from '../settings/sqs-place.ts';
import { DatabaseQueue } from './database/database-queue.ts';
import { deleteDoneMessages } from './lines/done-messages.ts';
import type { MessageQueue } from './message-queue.ts';
import type { RequeueHistory } from './sqs/sqs-queue.ts';
import { countEarlierLines, type ReadHistory } from './sqs-upgrade/sqs-upgrade.ts';

/** The queue that the settings choose, and its readiness check. */
export interface ServiceQueue extends AsyncDisposable {
  queue: MessageQueue;
  /** Null if the queue works whenever the database does. */
  check: (() => Promise<void>) | null;
  /** The action required before the queue can be used again, as a sentence; null if none. */
  obstacle(): string | null;
}

/**
 * Opens the queue and ends the leases of an earlier process.
 * @throws {SqsSetupError} if Amazon SQS is chosen and its queues cannot be used
 */
export async function openQueue(
  settings: Settings,
  dependencies: {
    database: Database;
    log: Logger;
    /** Finds messages in the history. */
    readHistory: ReadHistory;
    /** Records in the history that dead letters wait again. */
    requeueHistory: RequeueHistory;
    onFailure: () => void;
    now: () => number;
  },
): Promise<ServiceQueue> {
  const { database, log, readHistory, requeueHistory, onFailure, now } = dependencies;
  await database.transaction(deleteDoneMessages);
  const onMiscount = (text: string) => {
    onFailure();
    log.error(`${text}: the count was corrected`);
  };
  const lines = new DatabaseQueue({
    database,
    maxReceives: settings.message_queue_max_receives,
    onMiscount,
    now,
  });
  await lines.recount();
  await lines.recoverLeases();
  if (settings.queue_driver === 'database') {
    const earlier = await countEarlierLines(database.reader);
    if (earlier > 0)
      log.warn(
        'Amazon SQS may have messages that an earlier release stored only there: start once with queue_driver: sqs and enable_queue_polling: true',
        { webhooks: earlier },
      );
    return { queue: lines, check: null, obstacle: () => null, [Symbol.asyncDispose]: async () => {} };
  }
  // Loaded on demand: the AWS library takes a third of the startup.
  const { openSqsQueue } = await import('./open-sqs-queue.ts');
  return await openSqsQueue({
    database,
    installation: await installationOf(database),
    place: sqsPlaceOf(settings),
    log,
    polls: settings.enable_webhooks_service && settings.enable_queue_polling,
    waitSeconds: settings.queue_polling_interval,
    defaultMaxReceives: settings.message_queue_max_receives,
    readHistory,
    requeueHistory,
    onMiscount,
    onFailure,
    now,
  });
}
