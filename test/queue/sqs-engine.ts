import assert from 'node:assert/strict';
import type { Database } from '../../src/database/database.ts';
import type { MessageQueue, QueueMessage } from '../../src/queue/message-queue.ts';
import { type OpenSqsQueue, openSqsQueue, type SqsQueueOptions } from '../../src/queue/open-sqs-queue.ts';
import type { SqsQueue } from '../../src/queue/sqs/sqs-queue.ts';
import { readKnownMessages } from '../../src/webhooks/history/known-messages.ts';
import { requeueDeadLetters } from '../../src/webhooks/history/requeue-dead-letters.ts';
import { SILENT_LOGS } from '../support/logs.ts';
import { until } from '../support/service.ts';
import { settleAndReceive } from '../support/settle-and-receive.ts';
import { type QueueEngine, readDeadLetters } from './queue-engine.ts';
import type { TestQueues } from './sqs-server.ts';

const silent = SILENT_LOGS.for('MessageQueue');

/** The engine with the database that it works on. */
export type TestSqsQueue = OpenSqsQueue & { database: Database };

/** Opens the engine over queues of a test, without log lines and with short waits. */
export async function openTestSqsQueue(
  database: Database,
  { place }: Pick<TestQueues, 'place'>,
  overrides: Partial<SqsQueueOptions> = {},
): Promise<TestSqsQueue> {
  const opened = await openSqsQueue({
    database,
    place,
    log: silent,
    polls: true,
    waitSeconds: 1,
    defaultMaxReceives: 1_000,
    installation: 'test-installation',
    readHistory: readKnownMessages,
    requeueHistory: requeueDeadLetters,
    onMiscount: (text) => assert.fail(text),
    onFailure: () => {},
    now: Date.now,
    ...overrides,
  });
  return Object.assign(opened, { database });
}

/** Lines whose head waits for its copy. */
async function countAwaiting(database: Database, now: number): Promise<number> {
  const [row] = await database.reader.all<{ lines: number }>(
    `select count(*) as lines from queue_lines
     where lease_token is null and receive_count = 0 and available_at > ?`,
    now,
  );
  return Number(row?.lines ?? 0);
}

/**
 * The engine for the tests of the contract, which receive messages right after queueing them. So `arrived` and each
 * receive wait until no line waits for its copy any more.
 */
export class PatientSqsEngine implements QueueEngine {
  readonly database: Database;
  readonly queue: MessageQueue;
  readonly clockIsOurs: boolean;
  readonly #now: () => number;
  readonly #pass: (ms: number) => Promise<void>;
  readonly #release: () => Promise<void>;

  constructor(dependencies: {
    database: Database;
    queue: SqsQueue;
    clockIsOurs: boolean;
    now: () => number;
    pass: (ms: number) => Promise<void>;
    release: () => Promise<void>;
  }) {
    this.database = dependencies.database;
    this.queue = dependencies.queue;
    this.clockIsOurs = dependencies.clockIsOurs;
    this.#now = dependencies.now;
    this.#pass = dependencies.pass;
    this.#release = dependencies.release;
  }

  now(): number {
    return this.#now();
  }

  async pass(ms: number): Promise<void> {
    await this.#pass(ms);
  }

  async arrived(): Promise<void> {
    await until(async () => {
      // Receiving makes those lines due whose copies have arrived.
      await settleAndReceive(this, {});
      return (await countAwaiting(this.database, this.#now())) === 0;
    }, 'the copies of what was queued came');
  }

  async deadLetters(): Promise<QueueMessage[]> {
    return await readDeadLetters(this.database);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release();
  }
}
