import type { Database, Reader, Transaction } from '../../database/database.ts';
import type { DatabaseQueue } from '../database/database-queue.ts';
import { readNextDue } from '../lines/database-queue-statements.ts';
import type {
  ExchangeRequest,
  ExchangeResult,
  HeadAction,
  HeadActionResult,
  LineState,
  MessageQueue,
  QueueMessage,
  QueueTotals,
  ReceivedMessage,
  Settlement,
} from '../message-queue.ts';
import type { Copy } from './sqs-message.ts';
import type { SqsPlacer } from './sqs-placer.ts';
import { makeAwaitingDue, readAwaiting, readDeadLetters } from './sqs-statements.ts';

/**
 * The queue on Amazon SQS: the database queue, which holds each message until it is settled, and a copy on Amazon SQS that
 * makes its line be worked on, by whichever instance receives it. A message that is queued to an idle line is due when its
 * copy arrives, or after `waitMs` without one (docs/decisions/0008-sqs.md).
 */
export class SqsQueue implements MessageQueue {
  readonly engine = 'sqs';
  readonly #database: Database;
  readonly #lines: DatabaseQueue;
  readonly #placer: Pick<SqsPlacer, 'addLines' | 'addDeadLetters'>;
  readonly #maxReceives: () => number;
  readonly #mayDeliver: () => boolean;
  readonly #waitMs: number;
  readonly #now: () => number;
  readonly #listeners: (() => void)[] = [];
  /** Lines whose head waits for the copy that came; the next exchange makes them due. */
  readonly #arrived = new Set<number>();

  constructor(dependencies: {
    database: Database;
    /** The lines in the database, in which heads of idle lines wait for their copies. */
    lines: DatabaseQueue;
    placer: Pick<SqsPlacer, 'addLines' | 'addDeadLetters'>;
    /** The queue's redrive maximum, as it is now. */
    maxReceives: () => number;
    /** False while messages of an earlier release may be missing from their lines. */
    mayDeliver: () => boolean;
    waitMs: number;
    now: () => number;
  }) {
    this.#database = dependencies.database;
    this.#lines = dependencies.lines;
    this.#placer = dependencies.placer;
    this.#maxReceives = dependencies.maxReceives;
    this.#mayDeliver = dependencies.mayDeliver;
    this.#waitMs = dependencies.waitMs;
    this.#now = dependencies.now;
  }

  get maxReceives(): number {
    return this.#maxReceives();
  }

  /** Has the lines of received copies worked on. */
  async work(copies: readonly Copy[]): Promise<void> {
    const lineIds = [...new Set(copies.map((copy) => copy.lineId))];
    const dead = copies.flatMap(({ wasDead, messageId }) =>
      wasDead && messageId !== null ? [messageId] : [],
    );
    if (dead.length > 0)
      await this.#database.transaction(async (tx) => this.redeliver(tx, await readDeadLetters(tx, dead)));
    // Mostly their lines are being worked on already.
    const awaiting = await readAwaiting(this.#database.reader, lineIds, { now: this.#now() });
    if (awaiting.length === 0) return;
    for (const lineId of awaiting) this.#arrived.add(lineId);
    this.announce();
  }

  /** Announces lines that are due though no copy came. */
  async announceDue(): Promise<void> {
    const next = await readNextDue(this.#database.reader);
    if (next !== null && next <= this.#now()) this.announce();
  }

  announce(): void {
    for (const listener of this.#listeners) listener();
  }

  async holdLines(tx: Transaction, lineIds: readonly number[]): Promise<number> {
    return await this.#lines.holdLines(tx, lineIds);
  }

  async share(tx: Transaction, text: string): Promise<number> {
    return await this.#lines.share(tx, text);
  }

  async enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await this.#lines.enqueue(tx, messages);
    tx.onCommit(() => this.#placer.addLines(messages.map((message) => message.lineId)));
  }

  async exchange<S extends Settlement>(request: ExchangeRequest<S>): Promise<ExchangeResult> {
    const arrived = [...this.#arrived];
    this.#arrived.clear();
    const mayDeliver = this.#mayDeliver();
    const result = await this.#lines.exchange(
      mayDeliver ? request : { ...request, capacity: 0 },
      arrived.length === 0 ? undefined : (tx) => this.#makeDue(tx, arrived),
    );
    if (request.settlements.some(({ action }) => action === 'dead-letter')) this.#placer.addDeadLetters();
    // What is due cannot be taken up yet: whoever ends the wait announces it.
    return mayDeliver ? result : { ...result, nextAvailableAt: null };
  }

  async takeBackLeases(held: readonly Pick<ReceivedMessage, 'lineId' | 'leaseToken'>[]): Promise<number> {
    return await this.#lines.takeBackLeases(held);
  }

  async #makeDue(tx: Transaction, lineIds: readonly number[]): Promise<void> {
    const awaiting = await readAwaiting(tx, lineIds, { now: this.#now(), lock: true });
    if (awaiting.length > 0) await makeAwaitingDue(tx, awaiting, this.#waitMs);
  }

  onAvailable(listener: () => void): void {
    this.#listeners.push(listener);
    this.#lines.onAvailable(listener);
  }

  async line(lineId: number, reader?: Pick<Reader, 'all' | 'allFor'>): Promise<LineState> {
    return await this.#lines.line(lineId, reader);
  }

  async actOnHead(
    tx: Transaction,
    lineId: number,
    action: HeadAction,
    messageId?: string,
  ): Promise<HeadActionResult> {
    tx.onCommit(() => this.#placer.addDeadLetters());
    return await this.#lines.actOnHead(tx, lineId, action, messageId);
  }

  async redeliver(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    await this.#lines.redeliver(tx, messages);
  }

  async totals(): Promise<QueueTotals> {
    return await this.#lines.totals();
  }

  async forgetLines(tx: Transaction, lineIds: readonly number[]): Promise<number[]> {
    return await this.#lines.forgetLines(tx, lineIds);
  }

  async removeDeadLettersBefore(before: number, limit: number): Promise<number> {
    return await this.#lines.removeDeadLettersBefore(before, limit);
  }
}
