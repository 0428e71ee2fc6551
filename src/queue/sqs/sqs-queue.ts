import type { Message } from '@aws-sdk/client-sqs';
import type { Transaction } from '../../database/database.ts';
import { readNextDue } from '../lines/line-statements.ts';
import { Lines, type LinesOptions } from '../lines/lines.ts';
import type {
  MessageQueue,
  QueuedMessage,
  QueueMessage,
  Received,
  ReceiveRequest,
  Settled,
  Settlement,
} from '../message-queue.ts';
import { isCopyOf, lineIdOf, readAttribute } from './sqs-message.ts';
import {
  deletePlaced,
  lockDeadLetters,
  makeAwaitingDue,
  placeDeadLettersAgain,
  readLinesOfDeadLetters,
} from './sqs-statements.ts';

/**
 * How long after a delivery its line counts as active, in milliseconds. New messages of an active line are due at
 * once, as if they had been queued before the line was empty.
 */
const ACTIVE_MS = 1_000;

/**
 * Records in the history that dead letters wait again. Their lines are locked.
 * @returns the messages to redeliver; the others stay dead letters
 */
export type RequeueHistory = (
  tx: Transaction,
  messages: readonly QueuedMessage[],
  now: number,
) => Promise<readonly QueuedMessage[]>;

/** Dependencies of the queue. */
export interface SqsQueueDependencies extends Pick<LinesOptions, 'database' | 'now' | 'onMiscount'> {
  /** Places copies of the messages of lines on Amazon SQS soon. */
  place: (lineIds: Iterable<number>) => void;
  /** The queue's current redrive maximum. */
  maxReceives: () => number;
  /** False while messages of an earlier release may be missing from their lines. */
  mayDeliver: () => boolean;
  requeueHistory: RequeueHistory;
  /** How long the head of an idle line waits for its copy, in milliseconds. */
  waitMs: number;
}

/**
 * The queue on Amazon SQS: the lines in the database, which keep each message until it is settled, and copies on Amazon
 * SQS. The instance that receives a copy makes its line due. The head of an idle line is due when its copy arrives, or
 * after `waitMs` without one (docs/decisions/0008-sqs.md).
 */
export class SqsQueue implements MessageQueue {
  readonly engine = 'sqs';
  /** Null, because this engine notes each delivery and may have to wait before it receives. */
  readonly settleAndReceive = null;
  readonly lines: Lines;
  readonly #with: SqsQueueDependencies;
  /** When this instance last delivered a message of a line, by line. */
  readonly #deliveredAt = new Map<number, number>();

  constructor(dependencies: SqsQueueDependencies) {
    this.#with = dependencies;
    this.lines = new Lines({ ...dependencies, placesDeadLetters: true, onForget: deletePlaced });
  }

  get maxReceives(): number {
    return this.#with.maxReceives();
  }

  /** Makes the lines of received copies due, and redelivers dead letters whose copies were moved back to the queue. */
  async work(copies: readonly Message[]): Promise<void> {
    const moved = copies.filter((copy) => readAttribute(copy, 'dead_lettered') !== null);
    if (moved.length > 0) await this.#with.database.transaction((tx) => this.#redeliverMovedBack(tx, moved));
    const lineIds = new Set(copies.map(lineIdOf));
    await this.#announce((tx) =>
      makeAwaitingDue(tx, lineIds, { now: this.#with.now(), waitMs: this.#with.waitMs }),
    );
  }

  /**
   * Redelivers the dead letters of these copies, as an administrator can in the UI: with their lines locked, and with
   * a record in the history. Dead letters that cannot be redelivered get new copies on the dead-letter queue.
   */
  async #redeliverMovedBack(tx: Transaction, copies: readonly Message[]): Promise<void> {
    const messageIds = copies.flatMap((copy) => readAttribute(copy, 'message_id') ?? []);
    const lineIds = await readLinesOfDeadLetters(tx, messageIds);
    if (lineIds.length === 0) return;
    await this.lines.lockLines(tx, lineIds);
    // Someone may have redelivered some of them before the lines were locked.
    const letters = await lockDeadLetters(tx, messageIds);
    const dead = letters.filter((letter) => copies.some((copy) => isCopyOf(copy, letter)));
    const readable = dead.filter(({ unreadable }) => unreadable === undefined);
    const redelivered = await this.#with.requeueHistory(tx, readable, this.#with.now());
    await this.lines.redeliver(tx, redelivered);
    const left = dead.filter((message) => !redelivered.includes(message));
    await placeDeadLettersAgain(tx, left, this.#with.now());
  }

  /** Notifies receivers of lines that are due although no copy was received. */
  async announceDue(): Promise<void> {
    const next = await readNextDue(this.#with.database.reader);
    if (next !== null && next <= this.#with.now()) await this.#announce();
  }

  async #announce(change: (tx: Transaction) => Promise<void> = async () => {}): Promise<void> {
    await this.#with.database.transaction(
      async (tx) => {
        await change(tx);
        this.lines.announce(tx);
      },
      { durability: 'deferred' },
    );
  }

  async enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    const idle = new Set(messages.map(({ lineId }) => lineId).filter((lineId) => !this.#isActive(lineId)));
    if (idle.size > 0) tx.onCommit(() => this.#with.place(idle));
    await this.lines.enqueue(tx, messages, (lineId) => (idle.has(lineId) ? this.#with.waitMs : 0));
  }

  async settle<S extends Settlement>(
    tx: Transaction,
    settlements: readonly S[],
    leaseNext?: ReceiveRequest,
  ): Promise<Settled<S>[]> {
    for (const { action, message } of settlements)
      if (action === 'delete') this.#deliveredAt.set(message.lineId, this.#with.now());
    return await this.lines.settle(tx, settlements, leaseNext);
  }

  async receive(tx: Transaction, request: ReceiveRequest): Promise<Received> {
    // Receivers are notified once messages may be delivered.
    if (!this.#with.mayDeliver()) return { received: [], nextAvailableAt: null };
    return await this.lines.receive(tx, request);
  }

  async receiveOneByOne(request: ReceiveRequest): Promise<Received> {
    if (!this.#with.mayDeliver()) return { received: [], nextAvailableAt: null };
    return await this.lines.receiveOneByOne(request);
  }

  #isActive(lineId: number): boolean {
    const deliveredAt = this.#deliveredAt.get(lineId);
    if (deliveredAt === undefined) return false;
    const now = this.#with.now();
    // A delivery in the future was before the clock was set back.
    return deliveredAt <= now && now - deliveredAt < ACTIVE_MS;
  }
}
