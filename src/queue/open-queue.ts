import type { Database } from '../database/database.ts';
import { installationOf } from '../database/installation.ts';
import type { Logger } from '../observability/log.ts';
import { delivers } from '../settings/delivers.ts';
import type { Settings } from '../settings/settings-table.ts';
import { sqsPlaceOf } from '../settings/sqs-place.ts';
import { DatabaseQueue } from './database/database-queue.ts';
import { repairLines } from './lines/repair-lines.ts';
import type { MessageQueue } from './message-queue.ts';
import type { RequeueHistory } from './sqs/sqs-queue.ts';
import { deletePlaced } from './sqs/sqs-statements.ts';
import { countEarlierLines, type ReadHistory } from './sqs-upgrade/sqs-upgrade.ts';

/** The queue that the settings choose, and its readiness check. */
export interface ServiceQueue extends AsyncDisposable {
  queue: MessageQueue;
  /** Null if the queue needs nothing but the database. */
  check: (() => Promise<void>) | null;
  /** The action required before the queue can be used again, as a sentence; null if none. */
  obstacle(): string | null;
}

/** Dependencies of {@link openQueue}. */
interface QueueDependencies {
  database: Database;
  log: Logger;
  /** Finds messages in the history. */
  readHistory: ReadHistory;
  /** Records in the history that dead letters wait again. */
  requeueHistory: RequeueHistory;
  onFailure: () => void;
  now: () => number;
  /** Ends the start before it is complete. */
  signal?: AbortSignal | undefined;
}

/**
 * Repairs the lines that an earlier process left behind, and opens the queue that the settings choose.
 * @throws {SqsSetupError} if Amazon SQS is chosen and its queues cannot be used
 * @throws the reason of `signal` if it ends the start
 */
export async function openQueue(
  settings: Settings,
  { database, log, readHistory, requeueHistory, onFailure, now, signal }: QueueDependencies,
): Promise<ServiceQueue> {
  const onMiscount = (text: string) => {
    onFailure();
    log.error(`${text}: the count was corrected`);
  };
  await repairLines(database, { onMiscount, now });
  if (settings.queue_driver === 'database') {
    await warnOfEarlierLines(database, log);
    const queue = new DatabaseQueue({
      database,
      maxReceives: settings.message_queue_max_receives,
      onMiscount,
      // An earlier process may have used Amazon SQS.
      onForget: deletePlaced,
      now,
    });
    return { queue, check: null, obstacle: () => null, [Symbol.asyncDispose]: async () => {} };
  }
  // The engine is loaded on demand, because the AWS library takes a third of the startup.
  const { openSqsQueue } = await import('./open-sqs-queue.ts');
  return await openSqsQueue({
    database,
    installation: await installationOf(database),
    place: sqsPlaceOf(settings),
    log,
    polls: delivers(settings),
    waitSeconds: settings.queue_polling_interval,
    defaultMaxReceives: settings.message_queue_max_receives,
    readHistory,
    requeueHistory,
    onMiscount,
    onFailure,
    now,
    signal,
  });
}

/** Warns if messages of an earlier release may exist on Amazon SQS alone, which the database queue does not read. */
async function warnOfEarlierLines(database: Database, log: Logger): Promise<void> {
  const earlier = await countEarlierLines(database.reader);
  if (earlier === 0) return;
  log.warn(
    'Amazon SQS may have messages that an earlier release stored only there: start once with queue_driver: sqs and enable_queue_polling: true',
    { webhooks: earlier },
  );
}
