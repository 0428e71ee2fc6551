import type { SqsPlace } from '../settings/sqs-place.ts';
import { STOP_MS } from '../settings/stop-time.ts';
import { BackgroundTask } from '../time/background-task.ts';
import { SqsApi, type SqsDeadlines } from './sqs/sqs-api.ts';
import { type SqsContext, SqsHealth } from './sqs/sqs-health.ts';
import { SqsPlacer } from './sqs/sqs-placer.ts';
import { type RequeueHistory, SqsQueue } from './sqs/sqs-queue.ts';
import { SqsReceiver } from './sqs/sqs-receiver.ts';
import { SqsWatch } from './sqs/sqs-watch.ts';
import { type ReadHistory, SqsUpgrade } from './sqs-upgrade/sqs-upgrade.ts';

/** How long the head of an idle line waits for its copy: much longer than copies take, but not noticeable. */
const WAIT_MS = 200;

/** Options of the engine. */
export interface SqsQueueOptions extends Omit<SqsContext, 'api' | 'health'>, SqsDeadlines {
  place: SqsPlace;
  /** How long a request for messages waits, in seconds. */
  waitSeconds: number;
  /** The redrive maximum of a queue without a redrive policy. */
  defaultMaxReceives: number;
  readHistory: ReadHistory;
  requeueHistory: RequeueHistory;
  /** Called for a line whose count was wrong. */
  onMiscount: (text: string) => void;
  /** Called for each failed request. */
  onFailure: () => void;
  /** Ends the start before it is complete. */
  signal?: AbortSignal | undefined;
  /** How long the head of an idle line waits for its copy, in milliseconds. @defaultValue 200 */
  waitMs?: number;
  /**
   * How long no copy of an earlier release may have come before an upgrade ends, in milliseconds.
   * @defaultValue a minute
   */
  quietMs?: number;
}

/** The running engine. */
export interface OpenSqsQueue extends AsyncDisposable {
  queue: SqsQueue;
  /** For readiness: fails while Amazon SQS fails, or while the queues cannot be used. */
  check(): Promise<void>;
  /** The action required before the queues can be used again; null if none. */
  obstacle(): string | null;
}

/**
 * Opens the engine: checks the queues, then sends copies of the messages in the database.
 * @throws {SqsSetupError} if the queues cannot be used
 * @throws the reason of `signal` if it ends the start
 */
export async function openSqsQueue(options: SqsQueueOptions): Promise<OpenSqsQueue> {
  const { place, waitMs = WAIT_MS } = options;
  await using stack = new AsyncDisposableStack();
  const health = new SqsHealth(options);
  const api = stack.use(new SqsApi(place, options));
  const context: SqsContext = { ...options, health, api };
  const watch = stack.use(new SqsWatch(context));
  await startUntil(options.signal, { watch, api });
  const placer = stack.use(
    new SqsPlacer({
      ...context,
      maxBytes: (kind) => watch.queues.maxBytes[kind],
      mayPlace: () => upgrade.isOver(),
    }),
  );
  const queue = new SqsQueue({
    ...options,
    place: (lineIds) => placer.place(lineIds),
    maxReceives: () => watch.queues.maxReceives ?? options.defaultMaxReceives,
    mayDeliver: () => !upgrade.isPending,
    waitMs,
  });
  const upgrade = stack.use(new SqsUpgrade({ ...options, ...context, queue }));
  const tasks: AsyncDisposable[] = [watch, placer, upgrade];
  if (options.polls) {
    const receiver = stack.use(new SqsReceiver({ ...options, ...context, queue, upgrade }));
    await upgrade.start();
    receiver.start();
    const dueLines = stack.use(
      new BackgroundTask({ round: () => queue.announceDue(), pauseMs: waitMs, onError: () => {} }),
    );
    dueLines.start();
    tasks.push(receiver, dueLines);
  }
  placer.start();
  stack.defer(() => endTogether(tasks, api));
  const opened = stack.move();
  return {
    queue,
    check: () => health.check(),
    obstacle: () => health.obstacle,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Checks the queues until the start ends. A later stop leaves requests in progress some time. */
async function startUntil(
  signal: AbortSignal | undefined,
  { watch, api }: { watch: SqsWatch; api: SqsApi },
): Promise<void> {
  signal?.throwIfAborted();
  const abort = () => api.abort();
  signal?.addEventListener('abort', abort);
  try {
    await watch.start();
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  signal?.throwIfAborted();
}

/** Ends all tasks at the same time. Requests without a response do not delay that for long. */
async function endTogether(tasks: readonly AsyncDisposable[], api: SqsApi): Promise<void> {
  const limit = setTimeout(() => api.abort(), STOP_MS.queue);
  await Promise.allSettled(tasks.map((task) => task[Symbol.asyncDispose]()));
  clearTimeout(limit);
}
