import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import type { SqsPlace } from '../../settings/sqs-place.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { SqsApi } from './sqs-api.ts';
import type { SqsContext } from './sqs-context.ts';
import { SqsHealth } from './sqs-health.ts';
import type { Copy } from './sqs-message.ts';
import { otherOwnersMessage } from './sqs-owner.ts';
import { SqsPlacer } from './sqs-placer.ts';
import { SqsQueue } from './sqs-queue.ts';
import { SqsReceiver } from './sqs-receiver.ts';
import { type ReadHistory, SqsUpgrade } from './sqs-upgrade.ts';
import { SqsWatch } from './sqs-watch.ts';

/** How long the head of an idle line waits for its copy: much longer than copies take, and short for who waits. */
const WAIT_MS = 200;

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
  const { installation, place, polls, waitMs = WAIT_MS } = options;
  await using stack = new AsyncDisposableStack();
  const health = new SqsHealth(options);
  const context: SqsContext = { ...options, health, api: stack.use(new SqsApi(place)) };
  const watch = stack.use(new SqsWatch(context));
  await watch.start();
  const placer = stack.use(new SqsPlacer({ ...context, maxBytes: () => watch.limits.maxBytes }));
  const upgrade = stack.use(
    new SqsUpgrade({
      ...context,
      readHistory: options.readHistory,
      queueAgain: (tx, messages) => queue.redeliver(tx, messages),
      onDone: () => queue.announce(),
    }),
  );
  const queue = new SqsQueue({
    ...context,
    onMiscount: options.onMiscount,
    placer,
    maxReceives: () => watch.limits.maxReceives ?? options.defaultMaxReceives,
    mayDeliver: () => !upgrade.isPending,
    waitMs,
  });
  /** Works on what is this installation's; the rest stays on the queue, and ends its use. */
  const work = async (copies: readonly Copy[]): Promise<readonly Copy[]> => {
    const recognised = await upgrade.recognise(copies.filter((copy) => copy.installation === null));
    const ours = copies.filter((copy) => copy.installation === installation || recognised.has(copy));
    await queue.work(ours);
    const other = copies.find((copy) => !ours.includes(copy));
    if (other !== undefined) health.forbid(otherOwnersMessage(place.messageQueueName, other.installation));
    return ours;
  };
  if (polls) {
    const hidden = await upgrade.start();
    const receiver = stack.use(
      new SqsReceiver({ ...context, waitSeconds: Math.max(1, Math.ceil(options.waitSeconds)), work }),
    );
    receiver.delete(hidden);
    receiver.start();
    const dueLines = stack.use(
      new BackgroundTask({ round: () => queue.announceDue(), pauseMs: waitMs, onError: () => {} }),
    );
    dueLines.start();
  }
  placer.start();
  const opened = stack.move();
  return {
    queue,
    check: () => health.check(),
    obstacle: () => health.obstacle,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
