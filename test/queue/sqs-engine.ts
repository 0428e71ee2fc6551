import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/database/database.ts';
import { createLogs } from '../../src/observability/log.ts';
import type {
  ExchangeRequest,
  ExchangeResult,
  MessageQueue,
  QueueMessage,
  Settlement,
} from '../../src/queue/message-queue.ts';
import { type OpenSqsQueue, openSqsQueue, type SqsQueueOptions } from '../../src/queue/sqs/open-sqs-queue.ts';
import type { SqsQueue } from '../../src/queue/sqs/sqs-queue.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { until } from '../support/service.ts';
import { type QueueEngine, readDeadLetters, VISIBILITY_MS } from './queue-engine.ts';
import type { TestQueues } from './sqs-server.ts';

const silent = createLogs({ level: 'silent', customLevels: {} }).for('MessageQueue');

/** Opens the engine over queues of a test, quiet and with little patience. */
export async function openTestSqsQueue(
  database: Database,
  { place }: Pick<TestQueues, 'place'>,
  overrides: Partial<SqsQueueOptions> = {},
): Promise<OpenSqsQueue> {
  return await openSqsQueue({
    database,
    place,
    log: silent,
    polls: true,
    waitSeconds: 1,
    concurrency: 16,
    visibilityMs: VISIBILITY_MS,
    defaultMaxReceives: 1_000,
    recordDeadLettered: async () => {},
    onFailure: () => {},
    now: Date.now,
    ...overrides,
  });
}

/** Lines whose head is due and out with nobody. */
async function countDue(database: Database, now: number): Promise<number> {
  const [row] = await database.reader.all<{ due: number }>(
    'select count(*) as due from queue_lines where available_at <= ?',
    now,
  );
  return Number(row?.due ?? 0);
}

/**
 * The engine as the contract's tests use it. It hands over what has arrived and says when more does; the tests ask at once,
 * so here each exchange settles first and then waits until what is due has arrived.
 */
export class PatientSqsEngine implements QueueEngine {
  readonly database: Database;
  readonly queue: MessageQueue;
  readonly #sqs: SqsQueue;
  readonly #now: () => number;
  readonly #pass: (ms: number) => Promise<void>;
  readonly #release: () => Promise<void>;

  constructor(dependencies: {
    database: Database;
    queue: SqsQueue;
    now: () => number;
    pass: (ms: number) => Promise<void>;
    release: () => Promise<void>;
  }) {
    this.database = dependencies.database;
    this.#sqs = dependencies.queue;
    this.#now = dependencies.now;
    this.#pass = dependencies.pass;
    this.#release = dependencies.release;
    const sqs = this.#sqs;
    this.queue = {
      engine: sqs.engine,
      maxReceives: sqs.maxReceives,
      holdLines: (tx, lineIds) => sqs.holdLines(tx, lineIds),
      enqueue: (tx, messages) => sqs.enqueue(tx, messages),
      exchange: (request) => this.#exchange(request),
      takeBackLeases: () => sqs.takeBackLeases(),
      onAvailable: (listener) => sqs.onAvailable(listener),
      line: (lineId, reader) => sqs.line(lineId, reader),
      actOnHead: (tx, lineId, action, messageId) => sqs.actOnHead(tx, lineId, action, messageId),
      redeliver: (tx, messages) => sqs.redeliver(tx, messages),
      totals: () => sqs.totals(),
      forgetLines: (tx, lineIds) => sqs.forgetLines(tx, lineIds),
      removeDeadLettersBefore: (before, limit) => sqs.removeDeadLettersBefore(before, limit),
    };
  }

  now(): number {
    return this.#now();
  }

  async pass(ms: number): Promise<void> {
    // What was settled before that moment is told before it.
    await until(() => !this.#sqs.isTelling, 'Amazon SQS is told what was settled');
    await this.#pass(ms);
  }

  async arrived(): Promise<void> {
    await this.#exchange({
      settlements: [],
      capacity: 0,
      visibilityMs: VISIBILITY_MS,
      record: async () => {},
    });
  }

  async deadLetters(): Promise<QueueMessage[]> {
    return await readDeadLetters(this.database);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release();
  }

  async #exchange<S extends Settlement>(request: ExchangeRequest<S>): Promise<ExchangeResult> {
    const rest = { ...request, settlements: [] };
    if (request.settlements.length > 0) await this.#sqs.exchange({ ...request, capacity: 0 });
    const end = performance.now() + DEADLINE_MS;
    while (true) {
      const due = await countDue(this.database, this.#now());
      // Arrivals that are no heads to take up go with an exchange; what is left then is due.
      await this.#sqs.exchange({ ...rest, capacity: 0 });
      if (this.#sqs.left >= due) return await this.#sqs.exchange(rest);
      assert.ok(performance.now() < end, `${due} lines are due, ${this.#sqs.left} messages arrived`);
      await delay(2);
    }
  }
}
