import { randomUUID } from 'node:crypto';
import type { Database, Reader, Transaction } from '../../database/database.ts';
import type { DatabaseQueue } from '../database-queue.ts';
import { readHeads, readNextDue } from '../database-queue-statements.ts';
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
  Settled,
  Settlement,
} from '../message-queue.ts';
import { MAX_VISIBILITY_SECONDS } from './sqs-api.ts';
import { type ArrivalContext, judgeArrivals, toReceived } from './sqs-arrivals.ts';
import {
  forgetDeadLetters,
  forgetRemovedDeadLetters,
  noteDeadLetters,
} from './sqs-dead-letter-statements.ts';
import type { SqsForwarder } from './sqs-forwarder.ts';
import { leaseHeads, readNextDueAfter, readReceipts } from './sqs-head-statements.ts';
import type { Arrival, SqsReceivers } from './sqs-receivers.ts';
import type { RecordDeadLettered } from './sqs-redrive.ts';
import type { SqsCall, SqsSettler } from './sqs-settler.ts';
import {
  deleteForgottenLines,
  forwardAnew,
  markForwardable,
  noteSettled,
  takeOverLines,
} from './sqs-statements.ts';

/** Amazon's bound on how long a queue keeps messages: after it no copy of a line is left. */
const MAX_RETENTION_MS = 14 * 86_400_000;
const MS_PER_SECOND = 1_000;

/** What a step of an exchange comes to, besides its changes of the database. */
interface Outcome {
  received: ReceivedMessage[];
  /** Arrivals that are held no longer. */
  done: Set<Arrival>;
  /** What Amazon SQS is to be told once the database has committed. */
  calls: SqsCall[];
  foreign: Arrival[];
  /** Heads that found no capacity. */
  left: number;
  /** Heads that arrived and will be due within a second. */
  soon: number;
}

/**
 * The queue on Amazon SQS. Lines, their order and state stand in the database, as with the engine that keeps all there, and so
 * does each message until it is settled; Amazon SQS carries messages to whichever instance has room, and says when: a
 * message is taken up when it arrives, if it is the head of its line and due. So what the database commits holds, whatever
 * Amazon SQS loses, repeats or hands to others (docs/decisions/0008-sqs.md).
 */
export class SqsQueue implements MessageQueue {
  readonly engine = 'sqs';
  readonly #database: Database;
  readonly #lines: DatabaseQueue;
  readonly #receivers: SqsReceivers;
  readonly #settler: SqsSettler;
  readonly #forwarder: SqsForwarder;
  readonly #removeForeign: (arrivals: readonly Arrival[]) => void;
  readonly #recordDeadLettered: RecordDeadLettered;
  readonly #maxReceives: () => number;
  readonly #now: () => number;
  readonly #listeners: (() => void)[];
  #left = 0;

  constructor(dependencies: {
    database: Database;
    /** The lines in the database. */
    lines: DatabaseQueue;
    receivers: SqsReceivers;
    settler: SqsSettler;
    forwarder: SqsForwarder;
    /** Takes messages off that other programs sent. */
    removeForeign: (arrivals: readonly Arrival[]) => void;
    /** Writes into the history that Amazon SQS moved messages to the dead-letter queue by itself. */
    recordDeadLettered: RecordDeadLettered;
    /** The queue's redrive maximum, as it is now. */
    maxReceives: () => number;
    /** Called at every arrival: shared with the receivers. */
    listeners: (() => void)[];
    now: () => number;
  }) {
    this.#database = dependencies.database;
    this.#lines = dependencies.lines;
    this.#receivers = dependencies.receivers;
    this.#settler = dependencies.settler;
    this.#forwarder = dependencies.forwarder;
    this.#removeForeign = dependencies.removeForeign;
    this.#recordDeadLettered = dependencies.recordDeadLettered;
    this.#maxReceives = dependencies.maxReceives;
    this.#listeners = dependencies.listeners;
    this.#now = dependencies.now;
  }

  get maxReceives(): number {
    return this.#maxReceives();
  }

  /** Heads that had arrived at the last exchange, were due and found no capacity. */
  get left(): number {
    return this.#left;
  }

  /** Whether Amazon SQS is yet to be told of something that the database has settled. */
  get isTelling(): boolean {
    return this.#settler.outstanding > 0;
  }

  async takeBackLeases(): Promise<number> {
    return 0;
  }

  /**
   * Takes back what an earlier process had out. On PostgreSQL other instances may have it out: there leases end by
   * themselves.
   */
  async recoverLeases(): Promise<number> {
    if (this.#database.dialect === 'postgres') return 0;
    const leased = await this.#database.reader.all<{ line_id: number }>(
      'select line.line_id from queue_lines as line where line.lease_token is not null',
    );
    const receipts = await readReceipts(
      this.#database.reader,
      leased.map((row) => row.line_id),
    );
    const recovered = await this.#lines.recoverLeases();
    this.#settler.add(
      [...receipts.values()].map((receipt) => ({ do: 'hide', at: 0, ...receipt }) satisfies SqsCall),
    );
    return recovered;
  }

  /** Carries on with what waited when the service was last run with another `queue_driver`; answers how many lines. */
  async takeOver(): Promise<number> {
    const lines = await this.#database.transaction((tx) => takeOverLines(tx, this.#now()));
    this.#forwarder.wake();
    return lines;
  }

  async holdLines(tx: Transaction, lineIds: readonly number[]): Promise<number> {
    return await this.#lines.holdLines(tx, lineIds);
  }

  async enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await this.#lines.enqueue(tx, messages);
    await this.#forwardSoon(
      tx,
      messages.map((message) => message.lineId),
    );
  }

  async exchange<S extends Settlement>(request: ExchangeRequest<S>): Promise<ExchangeResult> {
    const visibilityMs = Math.min(request.visibilityMs, MAX_VISIBILITY_SECONDS * MS_PER_SECOND);
    this.#receivers.ask({ visibilityMs, capacity: request.capacity });
    let outcome: Outcome | undefined;
    // Run anew when the database undoes it: everything starts from nothing here.
    const work = async (tx: Transaction, settled: readonly Settled<S>[]) => {
      const calls = await this.#noteSettled(tx, settled);
      outcome = await this.#takeUp(tx, request.capacity, visibilityMs);
      outcome.calls.push(...calls);
    };
    if (request.settlements.length > 0) {
      await this.#lines.exchange<S>({
        settlements: request.settlements,
        capacity: 0,
        visibilityMs,
        record: async (tx, settled) => {
          await request.record(tx, settled);
          await work(tx, settled);
        },
      });
    } else {
      await this.#database.transaction((tx) => work(tx, []), { durability: 'deferred' });
    }
    const {
      received = [],
      done = new Set<Arrival>(),
      calls = [],
      foreign = [],
      left = 0,
      soon = 0,
    } = outcome ?? {};
    this.#left = left;
    this.#receivers.take(done);
    this.#settler.add(calls);
    if (foreign.length > 0) this.#removeForeign(foreign);
    if (request.settlements.length > 0 || done.size > received.length) this.#forwarder.wake();
    return { received, nextAvailableAt: await this.#nextAvailableAt(left + soon > 0) };
  }

  onAvailable(listener: () => void): void {
    this.#listeners.push(listener);
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
    const receipt = (await readReceipts(tx, [lineId])).get(lineId);
    const [head] = await readHeads(tx, [lineId]);
    const result = await this.#lines.actOnHead(tx, lineId, action, messageId);
    if (result.outcome !== 'done' || head === undefined) return result;
    const now = this.#now();
    if (action === 'dead-letter') {
      await noteSettled(tx, [head], now);
      await noteDeadLetters(tx, [head], { now, movedBySqs: false });
    }
    tx.onCommit(() => {
      if (receipt !== undefined) {
        const { receiptHandle, receivedAt } = receipt;
        this.#settler.add([
          action === 'retry'
            ? { do: 'hide', receiptHandle, receivedAt, at: now }
            : { do: 'delete', receiptHandle },
        ]);
      }
      this.#forwarder.wake();
      this.#announce();
    });
    return result;
  }

  async redeliver(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    if (messages.length === 0) return;
    await this.#lines.redeliver(tx, messages);
    await forgetDeadLetters(
      tx,
      messages.map((message) => message.messageId),
    );
    await this.#forwardSoon(
      tx,
      messages.map((message) => message.lineId),
    );
  }

  async totals(): Promise<QueueTotals> {
    return await this.#lines.totals();
  }

  async forgetLines(tx: Transaction, lineIds: readonly number[]): Promise<number[]> {
    const forgotten = await this.#lines.forgetLines(tx, lineIds);
    if (forgotten.length > 0) await deleteForgottenLines(tx, this.#now() - MAX_RETENTION_MS);
    return forgotten;
  }

  /** Removes them from what the service lists; the dead-letter queue keeps its copies as long as it is set to. */
  async removeDeadLettersBefore(before: number, limit: number): Promise<number> {
    const removed = await this.#lines.removeDeadLettersBefore(before, limit);
    if (removed > 0) await this.#database.transaction((tx) => forgetRemovedDeadLetters(tx));
    return removed;
  }

  async #forwardSoon(tx: Transaction, lineIds: readonly number[]): Promise<void> {
    await markForwardable(tx, lineIds, this.#now());
    tx.onCommit(() => this.#forwarder.wake());
  }

  /** Notes in the transaction of the settlements how far lines are settled; answers what to tell Amazon SQS. */
  async #noteSettled(tx: Transaction, settled: readonly Settled[]): Promise<SqsCall[]> {
    if (settled.length === 0) return [];
    const now = this.#now();
    const receipts = await readReceipts(
      tx,
      settled.map(({ settlement }) => settlement.message.lineId),
    );
    const calls: SqsCall[] = [];
    const gone: ReceivedMessage[] = [];
    const anew: number[] = [];
    for (const { settlement } of settled) {
      const { message, action } = settlement;
      const receipt = receipts.get(message.lineId);
      const stays = action === 'retry' || action === 'release';
      if (!stays) gone.push(message);
      if (receipt === undefined) continue;
      const { receiptHandle, receivedAt, receives } = receipt;
      if (!stays) calls.push({ do: 'delete', receiptHandle });
      else if (receives < this.maxReceives) {
        const at = action === 'retry' ? settlement.availableAt : now;
        calls.push({ do: 'hide', receiptHandle, receivedAt, at });
      } else {
        // Amazon SQS would not hand it out once more, though it has attempts left: a new copy starts from zero.
        anew.push(message.lineId);
        calls.push({ do: 'delete', receiptHandle });
      }
    }
    const discarded = settled.flatMap((each) => each.discarded);
    await noteSettled(tx, [...gone, ...discarded], now);
    await forwardAnew(tx, anew, now);
    const dead = settled.filter(({ settlement }) => settlement.action === 'dead-letter');
    await noteDeadLetters(
      tx,
      dead.map(({ settlement }) => settlement.message),
      { now, movedBySqs: false },
    );
    return calls;
  }

  /** Leases what arrived and is due, as far as there is capacity, and sees to what arrived and is not. */
  async #takeUp(tx: Transaction, capacity: number, visibilityMs: number): Promise<Outcome> {
    const now = this.#now();
    const context: ArrivalContext = {
      now,
      maxReceives: this.maxReceives,
      recordDeadLettered: this.#recordDeadLettered,
      requeue: (message) => this.redeliver(tx, [message]),
    };
    const { due, done, calls, foreign, soon } = await judgeArrivals(tx, this.#receivers.held, context);
    const chosen = due.slice(0, Math.max(0, capacity));
    if (chosen.length === 0) return { received: [], done, calls, foreign, left: due.length, soon };
    const leaseToken = randomUUID();
    const counts = await leaseHeads(
      tx,
      chosen.map((arrival) => ({
        ...toReceived(arrival),
        leasedUntil: arrival.receivedAt + visibilityMs,
      })),
      { now, leaseToken },
    );
    const receives = new Map(chosen.map((arrival) => [arrival.message.lineId, arrival.receives]));
    const received = (await readHeads(tx, counts.keys())).map(
      (head): ReceivedMessage => ({
        ...head,
        leaseToken,
        receiveCount: counts.get(head.lineId)!,
        isLastReceive: (receives.get(head.lineId) ?? 0) >= this.maxReceives,
      }),
    );
    for (const arrival of chosen) done.add(arrival);
    return { received, done, calls, foreign, left: due.length - chosen.length, soon };
  }

  /** A head that is due and has not arrived yet tells of itself; nobody need look for it. */
  async #nextAvailableAt(hasArrived: boolean): Promise<number | null> {
    return hasArrived
      ? await readNextDue(this.#database.reader)
      : await readNextDueAfter(this.#database.reader, this.#now());
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}
