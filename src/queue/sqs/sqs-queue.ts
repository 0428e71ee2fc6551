import type { Transaction } from '../../database/database.ts';
import { LineQueue, type LineQueueOptions } from '../lines/line-queue.ts';
import { readNextDue } from '../lines/line-statements.ts';
import type {
  HeadAction,
  HeadActionResult,
  QueueMessage,
  Received,
  ReceiveRequest,
  Settled,
  Settlement,
} from '../message-queue.ts';
import type { Copy } from './sqs-message.ts';
import type { SqsPlacer } from './sqs-placer.ts';
import { makeAwaitingDue, readDeadLetters } from './sqs-statements.ts';

/** What the engine works with. */
export interface SqsQueueDependencies extends LineQueueOptions {
  placer: Pick<SqsPlacer, 'addLines' | 'addDeadLetters'>;
  /** The queue's redrive maximum, as it is now. */
  maxReceives: () => number;
  /** False while messages of an earlier release may be missing from their lines. */
  mayDeliver: () => boolean;
  /** How long the head of an idle line waits for its copy. */
  waitMs: number;
}

/**
 * The queue on Amazon SQS: the database queue, which holds each message until it is settled, and a copy on Amazon SQS that
 * makes its line be worked on, by whichever instance receives it. A message that is queued to an idle line is due when its
 * copy arrives, or after `waitMs` without one (docs/decisions/0008-sqs.md).
 */
export class SqsQueue extends LineQueue {
  readonly engine = 'sqs';
  protected override readonly copies: { waitMs: number };
  readonly #with: SqsQueueDependencies;
  readonly #listeners: (() => void)[] = [];
  /** Lines whose copies came; the next `receive` makes them due. */
  readonly #arrived = new Set<number>();

  constructor(dependencies: SqsQueueDependencies) {
    super(dependencies);
    this.copies = { waitMs: dependencies.waitMs };
    this.#with = dependencies;
  }

  override get maxReceives(): number {
    return this.#with.maxReceives();
  }

  /** Has the lines of received copies worked on, and dead letters delivered again that somebody moved back. */
  async work(copies: readonly Copy[]): Promise<void> {
    const dead = copies.flatMap(({ wasDead, messageId }) => (wasDead ? (messageId ?? []) : []));
    if (dead.length > 0)
      await this.database.transaction(async (tx) => this.redeliver(tx, await readDeadLetters(tx, dead)));
    for (const { message } of copies) this.#arrived.add(message.lineId);
    if (copies.length > 0) this.announce();
  }

  /** Announces lines that are due though no copy came. */
  async announceDue(): Promise<void> {
    const next = await readNextDue(this.database.reader);
    if (next !== null && next <= this.now()) this.announce();
  }

  announce(): void {
    for (const listener of this.#listeners) listener();
  }

  override async enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await super.enqueue(tx, messages);
    tx.onCommit(() => this.#with.placer.addLines(messages.map((message) => message.lineId)));
  }

  override async settle<S extends Settlement>(
    tx: Transaction,
    settlements: readonly S[],
    next?: ReceiveRequest,
  ): Promise<Settled<S>[]> {
    if (settlements.some(({ action }) => action === 'dead-letter'))
      tx.onCommit(() => this.#with.placer.addDeadLetters());
    return await super.settle(tx, settlements, this.#with.mayDeliver() ? next : undefined);
  }

  override async actOnHead(
    tx: Transaction,
    lineId: number,
    action: HeadAction,
    messageId?: string,
  ): Promise<HeadActionResult> {
    if (action === 'dead-letter') tx.onCommit(() => this.#with.placer.addDeadLetters());
    return await super.actOnHead(tx, lineId, action, messageId);
  }

  override async receive(tx: Transaction, request: ReceiveRequest): Promise<Received> {
    if (this.#with.mayDeliver()) return await super.receive(tx, request);
    const { received } = await super.receive(tx, { ...request, capacity: 0 });
    // What is due cannot be taken up yet: whoever ends the wait announces it.
    return { received, nextAvailableAt: null };
  }

  protected override async beforeReceiving(tx: Transaction): Promise<void> {
    const arrived = [...this.#arrived];
    this.#arrived.clear();
    if (arrived.length > 0)
      await makeAwaitingDue(tx, arrived, { now: this.now(), waitMs: this.copies.waitMs });
  }

  override onAvailable(listener: () => void): void {
    this.#listeners.push(listener);
    super.onAvailable(listener);
  }
}
