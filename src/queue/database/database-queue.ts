import type { Transaction } from '../../database/database.ts';
import { Lines, type LinesOptions } from '../lines/lines.ts';
import type {
  HeadActionResult,
  LineState,
  LockedLines,
  LongestWaits,
  MessageQueue,
  Purged,
  PurgeRequest,
  QueuedMessage,
  QueueMessage,
  QueueTotals,
  Received,
  ReceiveRequest,
  SettleAndReceive,
  Settled,
  Settlement,
  SkipResult,
} from '../message-queue.ts';

/** The queue in the service's own database, and nowhere else: the lines alone. */
export class DatabaseQueue implements MessageQueue {
  readonly engine = 'database';
  readonly maxReceives: number;
  readonly #lines: Lines;

  constructor({ maxReceives, ...options }: LinesOptions & { maxReceives: number }) {
    this.maxReceives = maxReceives;
    this.#lines = new Lines(options);
  }

  get settleAndReceive(): SettleAndReceive | null {
    return this.#lines.settleAndReceive;
  }

  lockLines(tx: Transaction, lineIds: readonly number[]): Promise<LockedLines> {
    return this.#lines.lockLines(tx, lineIds);
  }

  share(tx: Transaction, text: string): Promise<number> {
    return this.#lines.share(tx, text);
  }

  enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    return this.#lines.enqueue(tx, messages);
  }

  settle<S extends Settlement>(
    tx: Transaction,
    settlements: readonly S[],
    leaseNext?: ReceiveRequest,
  ): Promise<Settled<S>[]> {
    return this.#lines.settle(tx, settlements, leaseNext);
  }

  receive(tx: Transaction, request: ReceiveRequest): Promise<Received> {
    return this.#lines.receive(tx, request);
  }

  takeBackLeases(held: Parameters<MessageQueue['takeBackLeases']>[0]): Promise<number> {
    return this.#lines.takeBackLeases(held);
  }

  endOverlongWaits(longest: LongestWaits): Promise<number> {
    return this.#lines.endOverlongWaits(longest);
  }

  onAvailable(listener: () => void): void {
    this.#lines.onAvailable(listener);
  }

  line(...request: Parameters<MessageQueue['line']>): Promise<LineState> {
    return this.#lines.line(...request);
  }

  waitingAgain(messageIds: readonly string[]): Promise<Set<string>> {
    return this.#lines.waitingAgain(messageIds);
  }

  actOnHead(...request: Parameters<MessageQueue['actOnHead']>): Promise<HeadActionResult> {
    return this.#lines.actOnHead(...request);
  }

  waiting(...request: Parameters<MessageQueue['waiting']>): Promise<QueuedMessage[]> {
    return this.#lines.waiting(...request);
  }

  skip(tx: Transaction, lineId: number, position: number): Promise<SkipResult> {
    return this.#lines.skip(tx, lineId, position);
  }

  purge(tx: Transaction, lineId: number, request: PurgeRequest): Promise<Purged> {
    return this.#lines.purge(tx, lineId, request);
  }

  removeDeadLetters(tx: Transaction, messageIds: readonly string[]): Promise<void> {
    return this.#lines.removeDeadLetters(tx, messageIds);
  }

  redeliver(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    return this.#lines.redeliver(tx, messages);
  }

  totals(): Promise<QueueTotals> {
    return this.#lines.totals();
  }

  forgetLines(tx: Transaction, lineIds: readonly number[]): Promise<number[]> {
    return this.#lines.forgetLines(tx, lineIds);
  }

  removeDeadLettersBefore(before: number, limit: number): Promise<number> {
    return this.#lines.removeDeadLettersBefore(before, limit);
  }
}
