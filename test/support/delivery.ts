import type { Database, Transaction } from '../../src/database/database.ts';
import { ConnectionTroubles } from '../../src/delivery/connection-troubles.ts';
import { DeliveryWorker } from '../../src/delivery/delivery-worker.ts';
import type { TargetGuardOptions } from '../../src/delivery/target-guard.ts';
import { createLogs } from '../../src/observability/log.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import type { ReceiveRequest, SettleAndReceive, Settled, Settlement } from '../../src/queue/message-queue.ts';
import { CredentialsCipher } from '../../src/secrets/credentials-cipher.ts';
import type { WebhookConfiguration } from '../../src/webhooks/configuration/webhook.ts';
import { insertWebhook } from '../../src/webhooks/configuration/webhook-store.ts';
import { DeliveryTargets } from '../../src/webhooks/delivery-targets.ts';
import { DeliveryLog } from '../../src/webhooks/history/delivery-log.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { DEADLINE_MS } from './deadline.ts';
import { loopbackSender } from './target-sender.ts';

/** A database queue that counts its polls and can be made to fail. */
export class WatchedQueue extends DatabaseQueue {
  polls = 0;
  failures = 0;
  /** Makes polls fail from now on, or not. */
  failing = false;
  /** Ids of the settled messages, repeated if settled again. */
  readonly settled: string[] = [];
  /** Called at the start of a poll that settles nothing. */
  beforeEmptyPoll: () => Promise<void> = async () => {};

  override async settle<S extends Settlement>(
    tx: Transaction,
    settlements: readonly S[],
    leaseNext?: ReceiveRequest,
  ): Promise<Settled<S>[]> {
    this.polls += 1;
    if (settlements.length === 0) await this.beforeEmptyPoll();
    if (this.failing) {
      this.failures += 1;
      throw new Error('the queue is out of order');
    }
    this.settled.push(...settlements.map(({ message }) => message.messageId));
    return await super.settle(tx, settlements, leaseNext);
  }

  override get settleAndReceive(): SettleAndReceive | null {
    const original = super.settleAndReceive;
    if (original === null) return null;
    return async (delivered, request) => {
      const { messages } = delivered;
      if (this.failing) return null;
      if (messages.length === 0) await this.beforeEmptyPoll();
      const done = await original(delivered, request);
      if (done === null) return null;
      this.polls += 1;
      this.settled.push(...messages.map(({ messageId }) => messageId));
      return done;
    };
  }
}

/** The store from which delivery reads webhooks; it can be made to fail. */
export interface FailingReads {
  failing: boolean;
  failures: number;
  /** Called once webhooks have been read, before they are used. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of whichever statement.
  done?: (rows: readonly any[]) => Promise<void>;
}

/** Delivery alone, with a real database and real requests. */
export interface TestDelivery extends AsyncDisposable {
  readonly database: TestDatabase['database'];
  /** Opens the database once more, for another instance. */
  open(): Database;
  readonly queue: WatchedQueue;
  readonly worker: DeliveryWorker;
  readonly reads: FailingReads;
  /** Outcomes of attempts and numbers of discarded messages in the metrics. */
  readonly counted: { attempts: string[]; discarded: number; postponed: string[]; queueFailures: number };
  readonly connectionTroubles: ConnectionTroubles;
  /** Log lines, from level `warn` on, and those of deliveries. */
  readonly logged: string[];
  /** Creates a webhook with this target and returns its id. */
  addWebhook(targetUrl: string, changes?: Partial<WebhookConfiguration>): Promise<number>;
  /** Queues messages with these names. */
  put(webhookId: number, ...names: string[]): Promise<void>;
}

/** The options of a test for delivery. */
export interface TestDeliveryOptions {
  concurrency?: number;
  timeoutMs?: number;
  shutdownTimeoutMs?: number;
  /** @defaultValue 1 */
  retryInitialMs?: number;
  /** @defaultValue 2 */
  retryMaxMs?: number;
  /** The monotonic clock of the worker. @defaultValue `performance.now` */
  elapsed?: () => number;
  /** Finds the addresses of targets' host names. */
  lookup?: TargetGuardOptions['lookup'];
  /** @defaultValue 10,000 */
  pollIntervalMs?: number;
  /** Another instance, whose database is used. @defaultValue none: a new database */
  beside?: Pick<TestDelivery, 'open'>;
}

/** Creates a worker that has not started yet; it retries at once. */
export async function makeDelivery(options: TestDeliveryOptions = {}): Promise<TestDelivery> {
  await using stack = new AsyncDisposableStack();
  const { database, open } = await openFor(options, stack);
  const now = Date.now;
  const queue = new WatchedQueue({ database, maxReceives: 1_000, now });
  const reads: FailingReads = { failing: false, failures: 0 };
  const { reader } = database;
  const targets = new DeliveryTargets({
    reader: {
      dialect: reader.dialect,
      all: (sql, ...params) => reader.all(sql, ...params),
      allFor: async (statement, rows) => {
        if (reads.failing) {
          reads.failures += 1;
          throw new Error('webhooks cannot be read');
        }
        // biome-ignore lint/suspicious/noExplicitAny: rows of whichever statement.
        const read = await reader.allFor<any>(statement, rows);
        await reads.done?.(read);
        return read;
      },
    },
    cipher: new CredentialsCipher(['s'.repeat(64)]),
  });
  const logged: string[] = [];
  const destination = { write: (line: string) => void logged.push(line) };
  const logs = createLogs({ level: 'warn', customLevels: {}, destination });
  const counted: TestDelivery['counted'] = { attempts: [], discarded: 0, postponed: [], queueFailures: 0 };
  const sender = stack.use(
    loopbackSender({
      deadlineMs: options.timeoutMs ?? DEADLINE_MS,
      ...(options.lookup !== undefined && { lookup: options.lookup }),
    }),
  );
  const connectionTroubles = new ConnectionTroubles({ now });
  const worker = stack.use(
    new DeliveryWorker({
      database,
      queue,
      sender,
      targets,
      deliveryLog: new DeliveryLog(logs),
      log: logs.for('DeliveryPoller'),
      connectionTroubles,
      metrics: {
        attempted: (outcome) => void counted.attempts.push(outcome),
        arrived: () => {},
        discarded: (count) => {
          counted.discarded += count;
        },
        postponed: (cause) => void counted.postponed.push(cause),
        queueFailed: () => {
          counted.queueFailures += 1;
        },
      },
      options: {
        concurrency: options.concurrency ?? 16,
        timeoutMs: options.timeoutMs ?? DEADLINE_MS,
        retryInitialMs: options.retryInitialMs ?? 1,
        retryMaxMs: options.retryMaxMs ?? 2,
        pollIntervalMs: options.pollIntervalMs ?? 10_000,
        shutdownTimeoutMs: options.shutdownTimeoutMs ?? 1_000,
      },
      now,
      random: Math.random,
      ...(options.elapsed !== undefined && { elapsed: options.elapsed }),
    }),
  );
  const opened = stack.move();
  return {
    database,
    open,
    queue,
    worker,
    reads,
    counted,
    connectionTroubles,
    logged,
    addWebhook: (targetUrl, changes) =>
      database.transaction((tx) => insertWebhook(tx, { ...CONFIGURATION, targetUrl, ...changes }, now())),
    put: (webhookId, ...names) =>
      database.transaction((tx) =>
        queue.enqueue(
          tx,
          names.map((name) => ({
            lineId: webhookId,
            messageId: name,
            label: 'ACCOUNT_CREATED',
            body: JSON.stringify({ name }),
            occurredAt: now(),
          })),
        ),
      ),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Opens a new database, or that of the other instance. */
async function openFor(
  { beside }: TestDeliveryOptions,
  stack: AsyncDisposableStack,
): Promise<Pick<TestDelivery, 'database' | 'open'>> {
  if (beside === undefined) return stack.use(await openTestDatabase());
  return { database: beside.open(), open: beside.open };
}

const CONFIGURATION: WebhookConfiguration = {
  name: 'Webhook',
  topic: 'ACCOUNT',
  allSubtopics: true,
  subtopics: ['ACCOUNT_CREATED'],
  focus: [],
  targetUrl: '',
  authentication: { type: 'NONE' },
  enabled: true,
  paused: false,
  maxAttempts: 10,
  ignoreBefore: null,
  loggingMode: 'NONE',
};
