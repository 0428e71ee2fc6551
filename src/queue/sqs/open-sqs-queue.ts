import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { DatabaseQueue } from '../database-queue.ts';
import { MAX_WAIT_SECONDS, SqsApi, type SqsPlace } from './sqs-api.ts';
import { removeForeign } from './sqs-foreign.ts';
import { SqsForwarder } from './sqs-forwarder.ts';
import { SqsMissingHeads } from './sqs-missing-heads.ts';
import { SqsOutage } from './sqs-outage.ts';
import { SqsQueue } from './sqs-queue.ts';
import { SqsReceivers } from './sqs-receivers.ts';
import type { RecordDeadLettered } from './sqs-redrive.ts';
import { SqsSettler } from './sqs-settler.ts';
import { SqsWatch } from './sqs-watch.ts';

/**
 * Messages of one webhook that are on the queue at a time. Amazon SQS finds what can be received among the first 120,000
 * messages: with ten each, 12,000 webhooks may fail at once, with whatever backlog, before others notice.
 */
const SHARE = 10;
/** How long a message may be held by this process before it is taken up: part of the margin of its visibility. */
const MAX_HELD_MS = 10_000;
/** How often as long as a message stays hidden its line waits before it is taken for lost. */
const OVERDUE_VISIBILITIES = 2;
const MS_PER_SECOND = 1_000;

/** What the engine is opened with. */
export interface SqsQueueOptions {
  database: Database;
  place: SqsPlace;
  log: Logger;
  /** False: everything is forwarded for another program to poll, and nothing is expected back. */
  polls: boolean;
  /** How long a receive waits for a message, in seconds; Amazon allows up to 20. */
  waitSeconds: number;
  /** How many messages may be out at a time. */
  concurrency: number;
  /** How long messages will be hidden while they are delivered, in milliseconds. */
  visibilityMs: number;
  /** The redrive maximum of a queue without a redrive policy. */
  defaultMaxReceives: number;
  recordDeadLettered: RecordDeadLettered;
  /** Called at each failure of a request. */
  onFailure: () => void;
  now: () => number;
  /** Messages of one line on the queue at a time. Default: 10. */
  share?: number;
  /** Default: 10 s. */
  maxHeldMs?: number;
  /** Default: twice the visibility. */
  overdueMs?: number;
}

/** The engine at work, and whether Amazon SQS answers. */
export interface OpenSqsQueue extends AsyncDisposable {
  queue: SqsQueue;
  /** For readiness: resolves while Amazon SQS does what it is asked. */
  check(): Promise<void>;
}

/**
 * Opens the engine: looks at the queues, and forwards from now on what the database holds for them.
 * @throws {SqsSetupError} when the queues cannot be used.
 */
export async function openSqsQueue(options: SqsQueueOptions): Promise<OpenSqsQueue> {
  const { database, log, now, concurrency, visibilityMs } = options;
  await using stack = new AsyncDisposableStack();
  const outage = new SqsOutage({ log, onFailure: options.onFailure, now });
  const api = stack.use(new SqsApi(options.place, { receives: concurrency }));
  const watch = stack.use(
    new SqsWatch({
      api,
      outage,
      log,
      visibilitySeconds: Math.ceil(visibilityMs / MS_PER_SECOND),
      defaultMaxReceives: options.defaultMaxReceives,
    }),
  );
  await watch.start();
  const settler = stack.use(new SqsSettler({ api, outage, now }));
  const listeners: (() => void)[] = [];
  const receivers = stack.use(
    new SqsReceivers({
      api,
      outage,
      waitSeconds: Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(options.waitSeconds))),
      maxCalls: concurrency,
      maxHeldMs: options.maxHeldMs ?? MAX_HELD_MS,
      giveBack: (calls) => settler.add(calls),
      onArrival: () => {
        for (const listener of listeners) listener();
      },
      now,
    }),
  );
  const forwarder = stack.use(
    new SqsForwarder({
      database,
      api,
      outage,
      log,
      share: options.polls ? (options.share ?? SHARE) : null,
      maxBytes: () => watch.maxBytes,
      recordDeadLettered: options.recordDeadLettered,
      now,
    }),
  );
  const queue = new SqsQueue({
    database,
    lines: new DatabaseQueue({ database, maxReceives: options.defaultMaxReceives, now }),
    receivers,
    settler,
    forwarder,
    removeForeign: (arrivals) => void removeForeign(arrivals, { api, settler, log }),
    recordDeadLettered: options.recordDeadLettered,
    maxReceives: () => watch.maxReceives,
    listeners,
    now,
  });
  const missing = stack.use(
    new SqsMissingHeads({
      database,
      emptySince: () => receivers.emptySince,
      overdueMs: options.overdueMs ?? OVERDUE_VISIBILITIES * visibilityMs,
      maxReceives: () => watch.maxReceives,
      recordDeadLettered: options.recordDeadLettered,
      tell: (calls) => settler.add(calls),
      forward: () => forwarder.wake(),
      log,
      now,
    }),
  );
  forwarder.start();
  if (options.polls) missing.start();
  const opened = stack.move();
  return { queue, check: () => outage.check(), [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
