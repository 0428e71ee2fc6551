import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { SqsApi, type SqsPlace } from './sqs-api.ts';
import type { Copy } from './sqs-message.ts';
import { SqsOutage } from './sqs-outage.ts';
import { SqsObstacle } from './sqs-owner.ts';
import { SqsPlacer } from './sqs-placer.ts';
import { SqsQueue } from './sqs-queue.ts';
import { SqsReceiver } from './sqs-receiver.ts';
import { type ReadHistory, SqsUpgrade } from './sqs-upgrade.ts';
import { SqsWatch } from './sqs-watch.ts';

/** How long the head of an idle line waits for its copy: much longer than copies take, and short for who waits. */
const WAIT_MS = 200;
/** Receives at a time. */
const RECEIVES = 4;

/** What the engine is opened with. */
export interface SqsQueueOptions {
  database: Database;
  /** The id of the installation that the queues are to belong to. */
  installation: string;
  place: SqsPlace;
  log: Logger;
  /** False: this instance places messages and takes none up. */
  polls: boolean;
  /** How long a receive waits for a copy, in seconds. */
  waitSeconds: number;
  /** The redrive maximum of a queue without a redrive policy. */
  defaultMaxReceives: number;
  readHistory: ReadHistory;
  /** Called for a line whose count was wrong. */
  onMiscount: (text: string) => void;
  /** Called at each failure of a request. */
  onFailure: () => void;
  now: () => number;
  /** How long the head of an idle line waits for its copy. Default: 200 ms. */
  waitMs?: number;
}

/** The engine at work. */
export interface OpenSqsQueue extends AsyncDisposable {
  queue: SqsQueue;
  /** For readiness: resolves while Amazon SQS does what it is asked, and the queues are this installation's. */
  check(): Promise<void>;
  /** What a person has to do before the queues are used again; null when nothing. */
  obstacle(): string | null;
}

/**
 * Opens the engine: looks at the queues, and places from now on what the database holds.
 * @throws {SqsSetupError} when the queues cannot be used.
 */
export async function openSqsQueue(options: SqsQueueOptions): Promise<OpenSqsQueue> {
  const { database, installation, log, polls, now, waitMs = WAIT_MS } = options;
  await using stack = new AsyncDisposableStack();
  const outage = new SqsOutage({ log, onFailure: options.onFailure, now });
  const api = stack.use(new SqsApi(options.place, { receives: RECEIVES }));
  const stop = new AbortController();
  const obstacle = new SqsObstacle({ log, onFound: () => stop.abort() });
  const watch = stack.use(
    new SqsWatch({
      api,
      outage,
      obstacle,
      log,
      installation,
      defaultMaxReceives: options.defaultMaxReceives,
    }),
  );
  await watch.start();
  const placer = stack.use(
    new SqsPlacer({ database, api, outage, log, installation, polls, maxBytes: () => watch.maxBytes, now }),
  );
  const upgrade = stack.use(
    new SqsUpgrade({
      database,
      api,
      outage,
      readHistory: options.readHistory,
      queueAgain: (tx, messages) => queue.redeliver(tx, messages),
      onDone: () => queue.announce(),
      now,
    }),
  );
  const queue = new SqsQueue({
    database,
    onMiscount: options.onMiscount,
    placer,
    maxReceives: () => watch.maxReceives,
    mayDeliver: () => !upgrade.isPending,
    waitMs,
    now,
  });
  /** Works on what is this installation's; the rest stays on the queue, and ends its use. */
  const work = async (copies: readonly Copy[]): Promise<readonly Copy[]> => {
    const earlier = copies.filter((copy) => copy.installation === null);
    const recognised = earlier.length === 0 ? new Set<Copy>() : await upgrade.recognise(earlier);
    const isOurs = (copy: Copy) => copy.installation === installation || recognised.has(copy);
    await queue.work(copies.filter(isOurs));
    const others = copies.filter((copy) => !isOurs(copy));
    if (others[0] !== undefined)
      obstacle.foundMessage(options.place.messageQueueName, others[0].installation);
    return others;
  };
  if (polls) {
    const hidden = await upgrade.start();
    const waitSeconds = Math.max(1, Math.ceil(options.waitSeconds));
    const receiver = stack.use(new SqsReceiver({ api, outage, waitSeconds, maxCalls: RECEIVES, work }));
    stop.signal.addEventListener('abort', () => receiver.end());
    const dueLines = stack.use(
      new BackgroundTask({ round: () => queue.announceDue(), pauseMs: waitMs, onError: () => {} }),
    );
    dueLines.start();
    receiver.delete(hidden);
    if (!stop.signal.aborted) receiver.start();
  }
  stop.signal.addEventListener('abort', () => placer.end());
  if (!stop.signal.aborted) placer.start();
  const opened = stack.move();
  return {
    queue,
    check: async () => {
      if (obstacle.text !== null) throw new Error(obstacle.text);
      await outage.check();
    },
    obstacle: () => obstacle.text,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
