import { randomUUID } from 'node:crypto';
import type { Database, Reader, Transaction } from '../database/database.ts';
import {
  addToLines,
  advanceAndLeaseLines,
  advanceLines,
  advanceUnleasedLine,
  copyToDeadLetters,
  deleteDeadLetters,
  deleteDeadLettersBefore,
  deleteEmptyLines,
  deleteMessages,
  endAllLeases,
  insertMessages,
  type LineRow,
  leaseDueLines,
  lockLeases,
  lockLines,
  makeDue,
  postponeLines,
  readExistingLines,
  readFirstMessages,
  readHeads,
  readLine,
  readLockedLine,
  readNextDue,
  readTotals,
  subtractFromLine,
} from './database-queue-statements.ts';
import type {
  ExchangeRequest,
  ExchangeResult,
  HeadAction,
  HeadActionResult,
  LineState,
  MessageQueue,
  QueuedMessage,
  QueueMessage,
  QueueTotals,
  Settled,
  Settlement,
} from './message-queue.ts';
import { PacedCalls } from './paced-calls.ts';

/** Followers that go with a discarded head in one step: bounds the transaction, and so everyone's wait. */
const MAX_FOLLOWERS_DISCARDED = 500;

/** Told to all instances when messages may have become available. */
const AVAILABLE_CHANNEL = 'queue_available';
/**
 * On PostgreSQL, the least time between a look that found nothing and the next: a storm of signals, of which another
 * instance does the work, and lines that others have locked at this moment, must not keep this one asking.
 */
const LOOK_AGAIN_MS = 20;

/**
 * The queue in the service's own database. A line is a row with its count and the moment its head is due;
 * taking up heads reads those rows through an index and the head of each, never the backlog behind.
 */
export class DatabaseQueue implements MessageQueue {
  readonly engine = 'database';
  readonly maxReceives: number;
  readonly #database: Database;
  readonly #now: () => number;
  readonly #wakeUps: PacedCalls;
  /**
   * Whether the last exchange left lines that were due, for want of capacity. While it does, a line whose message
   * was delivered queues behind them; otherwise it goes on at once, which saves its row a second update.
   */
  #othersAreDue = false;

  constructor({
    database,
    maxReceives,
    now,
  }: { database: Database; maxReceives: number; now: () => number }) {
    this.#database = database;
    this.maxReceives = maxReceives;
    this.#now = now;
    this.#wakeUps = new PacedCalls(database.dialect === 'postgres' ? LOOK_AGAIN_MS : 0);
  }

  /**
   * Takes back what an earlier process had out. On PostgreSQL other instances may have it out: there leases end by
   * themselves.
   */
  async recoverLeases(): Promise<number> {
    if (this.#database.dialect === 'postgres') return 0;
    return await this.#database.transaction((tx) => endAllLeases(tx, this.#now()));
  }

  async holdLines(tx: Transaction, lineIds: readonly number[]): Promise<void> {
    await lockLines(tx, lineIds);
  }

  async enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const counts = new Map<number, number>();
    for (const { lineId } of messages) counts.set(lineId, (counts.get(lineId) ?? 0) + 1);
    // Lines first and in ascending order: holding the line's row is what makes numbers follow commits.
    await addToLines(
      tx,
      [...counts].sort(([a], [b]) => a - b),
      this.#now(),
    );
    await insertMessages(tx, messages);
    tx.signal(AVAILABLE_CHANNEL);
  }

  async exchange<S extends Settlement>(request: ExchangeRequest<S>): Promise<ExchangeResult> {
    const result = await this.#database.transaction((tx) => this.#exchangeIn(tx, request), {
      durability: 'deferred',
    });
    if (result.received.length === 0 && request.settlements.length === 0) this.#wakeUps.pause();
    return result;
  }

  async #exchangeIn<S extends Settlement>(
    tx: Transaction,
    request: ExchangeRequest<S>,
  ): Promise<ExchangeResult> {
    const now = this.#now();
    const lease = { leaseToken: randomUUID(), leasedUntil: now + request.visibilityMs };
    // Counts of lines that were taken up: those that go on with their next message, then others that are due.
    const taken = new Map<number, number>();
    if (request.settlements.length > 0) {
      const goOn = this.#othersAreDue ? 0 : request.capacity;
      const { settled, continued } = await this.#settle(tx, request.settlements, goOn, lease);
      for (const lineId of continued) taken.set(lineId, 1);
      await request.record(tx, settled);
    }
    const limit = request.capacity - taken.size;
    // Mostly nothing else is due: to look costs a tenth of what an update that finds nothing does.
    let nextAvailableAt = await readNextDue(tx);
    if (limit > 0 && nextAvailableAt !== null && nextAvailableAt <= now) {
      for (const [lineId, count] of await leaseDueLines(tx, { now, ...lease, limit }))
        taken.set(lineId, count);
      nextAvailableAt = await readNextDue(tx);
    }
    const heads = taken.size === 0 ? [] : await readHeads(tx, taken.keys());
    const isMoreDue = nextAvailableAt !== null && nextAvailableAt <= now;
    this.#othersAreDue = isMoreDue && taken.size >= request.capacity;
    // With room left, what is due is in others' hands at this moment.
    if (isMoreDue && !this.#othersAreDue) nextAvailableAt = now + LOOK_AGAIN_MS;
    const received = heads.map((head) => ({
      ...head,
      leaseToken: lease.leaseToken,
      receiveCount: taken.get(head.lineId)!,
    }));
    return { received, nextAvailableAt };
  }

  onAvailable(listener: () => void): void {
    this.#database.onSignal(AVAILABLE_CHANNEL, () => this.#wakeUps.call(listener));
  }

  async line(
    lineId: number,
    reader: Pick<Reader, 'all' | 'dialect'> = this.#database.reader,
  ): Promise<LineState> {
    const line = await readLine(reader, lineId);
    if (line === null || line.pending === 0) return { depth: 0, oldestEnqueuedAt: null, head: null };
    const [head] = await readHeads(reader, [lineId]);
    if (head === undefined) return { depth: 0, oldestEnqueuedAt: null, head: null };
    return {
      depth: line.pending,
      oldestEnqueuedAt: head.enqueuedAt,
      head: {
        messageId: head.messageId,
        label: head.label,
        receiveCount: line.receive_count,
        inFlight: this.#isOut(line),
        availableAt: line.available_at ?? this.#now(),
      },
    };
  }

  async actOnHead(
    tx: Transaction,
    lineId: number,
    action: HeadAction,
    messageId?: string,
  ): Promise<HeadActionResult> {
    const line = await readLockedLine(tx, lineId);
    const [head] = line === null || line.pending === 0 ? [] : await readFirstMessages(tx, lineId, 1);
    if (line === null || head === undefined) return { outcome: 'empty' };
    if (messageId !== undefined && head.messageId !== messageId) return { outcome: 'other-head' };
    if (this.#isOut(line)) return { outcome: 'in-flight' };
    const now = this.#now();
    if (action === 'retry') {
      await makeDue(tx, lineId, now);
    } else {
      await copyToDeadLetters(tx, [head.position], now);
      await deleteMessages(tx, [head.position]);
      await advanceUnleasedLine(tx, lineId, now);
    }
    tx.signal(AVAILABLE_CHANNEL);
    return { outcome: 'done', message: head };
  }

  async redeliver(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    await deleteDeadLetters(
      tx,
      messages.map((message) => message.messageId),
    );
    await this.enqueue(tx, messages);
  }

  async totals(): Promise<QueueTotals> {
    const row = await readTotals(this.#database.reader, this.#now());
    return {
      waiting: row.waiting,
      inFlight: row.in_flight,
      deadLetters: row.dead_letters,
      linesBlocked: row.lines_blocked,
      oldestEnqueuedAt: row.oldest,
    };
  }

  async forgetLines(tx: Transaction, lineIds: readonly number[]): Promise<number[]> {
    if (lineIds.length === 0) return [];
    await deleteEmptyLines(tx, lineIds);
    const left = await readExistingLines(tx, lineIds);
    return lineIds.filter((id) => !left.has(id));
  }

  async removeDeadLettersBefore(before: number, limit: number): Promise<number> {
    return await this.#database.transaction((tx) => deleteDeadLettersBefore(tx, before, limit));
  }

  /** Settles; up to `goOn` of the lines whose message was delivered are taken up again at once. */
  async #settle<S extends Settlement>(
    tx: Transaction,
    settlements: readonly S[],
    goOn: number,
    lease: { leaseToken: string; leasedUntil: number },
  ): Promise<{ settled: Settled<S>[]; continued: number[] }> {
    await lockLeases(
      tx,
      settlements.map(({ message }) => message),
    );
    const { firsts, others } = firstOfEachLine(settlements);
    const now = this.#now();
    const continuing = firsts.filter((settlement) => settlement.action === 'delete').slice(0, goOn);
    const continuingLines = new Set(continuing.map((settlement) => settlement.message.lineId));
    const leaving = firsts.filter(
      (settlement) => !staysInLine(settlement) && !continuingLines.has(settlement.message.lineId),
    );
    const staying = firsts.filter(staysInLine).map((settlement) => ({
      message: settlement.message,
      availableAt: settlement.action === 'retry' ? settlement.availableAt : now,
      uncounted: settlement.action === 'release',
    }));
    const held = new Set<number>();
    const continued: number[] = [];
    if (continuing.length > 0) {
      const leases = continuing.map((settlement) => settlement.message);
      for (const [line, isTaken] of await advanceAndLeaseLines(tx, leases, lease)) {
        held.add(line);
        if (isTaken) continued.push(line);
      }
    }
    if (leaving.length > 0) {
      const leases = leaving.map((settlement) => settlement.message);
      for (const line of await advanceLines(tx, leases, now)) held.add(line);
    }
    if (staying.length > 0) for (const line of await postponeLines(tx, staying)) held.add(line);

    const effective = firsts.filter((settlement) => held.has(settlement.message.lineId));
    const dead = effective.filter((settlement) => settlement.action === 'dead-letter');
    if (dead.length > 0) await copyToDeadLetters(tx, positionsOf(dead), now);
    const gone = effective.filter((settlement) => !staysInLine(settlement));
    if (gone.length > 0) await deleteMessages(tx, positionsOf(gone));

    const settled: Settled<S>[] = [];
    for (const settlement of effective) {
      const discarded =
        settlement.action === 'discard'
          ? await this.#discardFollowers(tx, settlement.message.lineId, settlement.followersBefore)
          : [];
      settled.push({ settlement, discarded });
    }
    if (others.length > 0) settled.push(...(await this.#settle(tx, others, 0, lease)).settled);
    return { settled, continued };
  }

  /** Discards the unbroken run of messages at the front of a line that were queued before a moment. */
  async #discardFollowers(tx: Transaction, lineId: number, before: number): Promise<QueuedMessage[]> {
    const first = await readFirstMessages(tx, lineId, MAX_FOLLOWERS_DISCARDED);
    const end = first.findIndex((message) => message.enqueuedAt >= before);
    const discarded = end === -1 ? first : first.slice(0, end);
    if (discarded.length === 0) return [];
    await deleteMessages(
      tx,
      discarded.map((message) => message.position),
    );
    await subtractFromLine(tx, lineId, discarded.length);
    return discarded;
  }

  #isOut(line: LineRow): boolean {
    return line.lease_token !== null && (line.available_at ?? 0) > this.#now();
  }
}

/**
 * A line comes twice in a batch when a lease was lost and the message taken up again: each must be held
 * against its own lease, so they are settled one after the other.
 */
function firstOfEachLine<S extends Settlement>(settlements: readonly S[]): { firsts: S[]; others: S[] } {
  const seen = new Set<number>();
  const firsts: S[] = [];
  const others: S[] = [];
  for (const settlement of settlements) {
    (seen.has(settlement.message.lineId) ? others : firsts).push(settlement);
    seen.add(settlement.message.lineId);
  }
  return { firsts, others };
}

function staysInLine({ action }: Settlement): boolean {
  return action === 'retry' || action === 'release';
}

function positionsOf(settlements: readonly Settlement[]): number[] {
  return settlements.map((settlement) => settlement.message.position);
}
