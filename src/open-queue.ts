import type { Database } from './database/database.ts';
import { VISIBILITY_MARGIN_MS } from './delivery/delivery-worker.ts';
import type { Logger } from './observability/log.ts';
import { DatabaseQueue } from './queue/database-queue.ts';
import { deleteDoneMessages } from './queue/done-messages.ts';
import type { MessageQueue } from './queue/message-queue.ts';
import type { Settings } from './settings/settings-table.ts';
import { sqsPlaceOf } from './settings/sqs-place.ts';
import { recordDeadLettered } from './webhooks/dead-letter-recorder.ts';

const MS_PER_SECOND = 1_000;

/** The queue that the settings choose, and what readiness depends on beside the database. */
export interface ServiceQueue extends AsyncDisposable {
  queue: MessageQueue;
  /** Null: the queue works whenever the database does. */
  check: (() => Promise<void>) | null;
}

/** How long a message stays hidden from others while it is delivered, in milliseconds. */
export function visibilityMsOf(settings: Pick<Settings, 'delivery_timeout'>): number {
  return settings.delivery_timeout * MS_PER_SECOND + VISIBILITY_MARGIN_MS;
}

/**
 * Opens the queue and takes back what an earlier process had out of it.
 * @throws {SqsSetupError} when Amazon SQS is chosen and its queues cannot be used.
 */
export async function openQueue(
  settings: Settings,
  dependencies: { database: Database; log: Logger; onFailure: () => void; now: () => number },
): Promise<ServiceQueue> {
  const { database, log, onFailure, now } = dependencies;
  // Elsewhere other instances may deliver: the leases of one that died end by themselves.
  const isAlone = database.dialect === 'sqlite';
  await database.transaction(deleteDoneMessages);
  if (settings.queue_driver === 'database') {
    const queue = new DatabaseQueue({ database, maxReceives: settings.message_queue_max_receives, now });
    if (isAlone) await queue.recoverLeases();
    return { queue, check: null, [Symbol.asyncDispose]: async () => {} };
  }
  // Loaded when it is chosen: the library of AWS takes a third of the start.
  const { openSqsQueue } = await import('./queue/sqs/open-sqs-queue.ts');
  const opened = await openSqsQueue({
    database,
    place: sqsPlaceOf(settings),
    log,
    polls: settings.enable_queue_polling,
    waitSeconds: settings.queue_polling_interval,
    concurrency: settings.delivery_concurrency,
    visibilityMs: visibilityMsOf(settings),
    defaultMaxReceives: settings.message_queue_max_receives,
    recordDeadLettered,
    onFailure,
    now,
  });
  if (isAlone) await opened.queue.recoverLeases();
  const takenOver = await opened.queue.takeOver();
  if (takenOver > 0)
    log.info('messages that waited in the database are carried by Amazon SQS', { webhooks: takenOver });
  return opened;
}
