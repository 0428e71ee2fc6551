import type { Database, Reader, Transaction } from '../../database/database.ts';
import { fitting, TURN_BYTES } from '../../database/step-bytes.ts';
import type {
  HeadAction,
  HeadActionResult,
  LinePart,
  LineState,
  LockedLines,
  LongestWaits,
  MessageLease,
  MessageQueue,
  Purged,
  PurgeRequest,
  QueuedMessage,
  QueueLines,
  QueueMessage,
  QueueTotals,
  Received,
  ReceiveRequest,
  SettleAndReceive,
  Settled,
  Settlement,
  SkipResult,
} from '../message-queue.ts';
import { waitingSince } from '../waiting-since.ts';
import { deleteDeadLetters, deleteDeadLettersBefore } from './dead-letter-statements.ts';
import { DoneMessages } from './done-messages.ts';
import { InstanceLeases } from './instance-leases.ts';
import { endOtherLeases, hasLease } from './lease-statements.ts';
import { isInFlight, lineState } from './line-state.ts';
import {
  addToLines,
  deleteEmptyLines,
  type LineAddition,
  lockLines,
  makeDue,
  readExistingLines,
  readLine,
  readLockedLine,
  readTotals,
} from './line-statements.ts';
import { insertMessages, readFirstSizes, readHeadNames, readHeadOutlines } from './message-statements.ts';
import { endOverlongWaits, endWaitsAfter } from './overlong-waits.ts';
import { ReceivePace } from './receive-pace.ts';
import { type ReceivingOptions, receive, receiveOneByOne, type SettledLines } from './receiving.ts';
import { deadLetterMessage, purgeMessages, type RemovalOptions, skipMessage } from './removals.ts';
import { settleAndReceiveOn } from './settle-and-receive.ts';
import { settle } from './settling.ts';
import { readFirstIfDamaged, readHeadAlone } from './unreadable-messages.ts';
import { readWaitingAgain } from './waiting-again.ts';

/** The channel of the signal to all instances that messages may have become available. */
const AVAILABLE_CHANNEL = 'queue_available';

/** Dependencies of {@link Lines}, and of every engine. */
export interface LinesOptions {
  database: Database;
  now: () => number;
  /** Called with a sentence about a line whose wrong count was corrected. */
  onMiscount?: (text: string) => void;
  /** Whether the engine also places dead letters on another queue. @defaultValue false */
  placesDeadLetters?: boolean;
  /** Called in the transaction that deletes lines, with their ids. */
  onForget?: (tx: Transaction, lineIds: readonly number[]) => Promise<void>;
}

/**
 * The lines in the database, which are the queue of every engine. A line is a row with its count, and the time at which
 * its head is due. Leasing reads the rows of due lines through an index, and the head of each, but never the backlog
 * behind it.
 */
export class Lines implements QueueLines, Omit<MessageQueue, 'engine' | 'maxReceives' | 'lines'> {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #onMiscount: (text: string) => void;
  readonly #placesDeadLetters: boolean;
  readonly #onForget: NonNullable<LinesOptions['onForget']>;
  readonly #pace: ReceivePace;
  readonly #leases = new InstanceLeases();
  readonly #done = new DoneMessages();
  /** The lines that each transaction has settled. */
  readonly #settledBy = new WeakMap<Transaction, SettledLines>();
  /** The lines that each transaction has locked and whose head was not due. */
  readonly #notDue = new WeakMap<Transaction, ReadonlySet<number>>();
  readonly #settleAndReceive: SettleAndReceive | null;

  constructor({
    database,
    now,
    onMiscount = () => {},
    placesDeadLetters = false,
    onForget = async () => {},
  }: LinesOptions) {
    this.#database = database;
    this.#now = now;
    this.#onMiscount = onMiscount;
    this.#placesDeadLetters = placesDeadLetters;
    this.#onForget = onForget;
    this.#pace = new ReceivePace(database.dialect);
    const shared = { database, now, pace: this.#pace, leases: this.#leases };
    this.#settleAndReceive =
      database.dialect === 'postgres'
        ? settleAndReceiveOn({ ...shared, receive: (tx, request) => this.receive(tx, request) })
        : null;
  }

  get settleAndReceive(): SettleAndReceive | null {
    return this.#settleAndReceive;
  }

  async lockLines(tx: Transaction, lineIds: readonly number[]): Promise<LockedLines> {
    const { lines, isLate } = await lockLines(tx, lineIds);
    const now = this.#now();
    const notDue = lines.filter(({ available_at: dueAt }) => dueAt !== null && dueAt > now);
    this.#notDue.set(tx, new Set(notDue.map(({ line_id: lineId }) => lineId)));
    const at = lines.reduce((latest, { last_enqueued_at: last }) => Math.max(latest, last), now);
    return { at, isLate };
  }

  /**
   * Queues messages to their lines. The head of an empty line is due after `waitMs` milliseconds. Receivers get
   * a signal only if a head is due at once. They need none if the head was in flight, or waited for its time, when the
   * transaction locked the line. A signal costs about as much as appending a message.
   */
  async enqueue(
    tx: Transaction,
    messages: readonly QueueMessage[],
    waitMs: (lineId: number) => number = () => 0,
  ): Promise<void> {
    if (messages.length === 0) return;
    const now = this.#now();
    // Lines are locked first, in ascending order, because the lock on a line makes positions follow commits. The
    // statement for the messages is sent right after, without waiting, because others wait for the lines until the
    // commit.
    const ascending = additionsOf(messages, (lineId) => now + waitMs(lineId));
    const notDue = this.#notDue.get(tx);
    if (ascending.some(({ lineId, dueAt }) => dueAt <= now && !notDue?.has(lineId))) this.announce(tx);
    await Promise.all([addToLines(tx, ascending), insertMessages(tx, messages)]);
  }

  async settle<S extends Settlement>(
    tx: Transaction,
    settlements: readonly S[],
    leaseNext: ReceiveRequest = { capacity: 0, visibilityMs: 0 },
  ): Promise<Settled<S>[]> {
    if (settlements.length === 0) return [];
    const now = this.#now();
    // Messages are deleted later on SQLite alone. On PostgreSQL, other instances would have to know about them.
    const deletesLater = tx.dialect === 'sqlite';
    const nextLease = this.#leases.create(now, leaseNext);
    const { settled, gone, lineIds, continued } = await settle(tx, settlements, {
      now,
      reader: this.#database.reader,
      placesDeadLetters: this.#placesDeadLetters,
      deletesLater,
      nextLease,
      nextLimit: this.#pace.othersAreDue ? 0 : leaseNext.capacity,
    });
    if (deletesLater) this.#done.add(tx, gone);
    this.#settledBy.set(tx, { lineIds, continued, leaseToken: nextLease.leaseToken });
    return settled;
  }

  async receive(tx: Transaction, request: ReceiveRequest): Promise<Received> {
    const now = this.#now();
    const settled = this.#settledBy.get(tx);
    const { capacity } = request;
    const { received, leased, nextAt } = await receive(tx, settled, this.#receivingOptions(now, request));
    await this.#done.delete(tx, { atAnyRate: leased === 0 });
    if (leased === 0 && settled === undefined) this.#pace.foundNothing();
    return {
      received,
      nextAvailableAt: this.#pace.nextLook(nextAt, { now, isFull: leased >= capacity }),
    };
  }

  async receiveOneByOne(request: ReceiveRequest): Promise<Received> {
    const now = this.#now();
    const options = this.#receivingOptions(now, request);
    const { received, leased, nextAt } = await receiveOneByOne(this.#database, options);
    const isFull = leased >= request.capacity;
    return { received, nextAvailableAt: this.#pace.nextLook(nextAt, { now, isFull }) };
  }

  async takeBackLeases(held: readonly MessageLease[]): Promise<number> {
    return await this.#announcing((tx) => endOtherLeases(tx, this.#leases.prefix, held, this.#now()));
  }

  async holdsLease(lease: MessageLease): Promise<boolean> {
    return await hasLease(this.#database.reader, lease);
  }

  async endOverlongWaits(longest: LongestWaits): Promise<number> {
    // Without this, an instance whose machine was paused would find the leases of all other instances too long.
    await this.#database.clock.synchronize();
    return await this.#announcing((tx) => endOverlongWaits(tx, { now: this.#now(), ...longest }));
  }

  async endWaitsAfter(maxReceives: number): Promise<number> {
    return await this.#announcing((tx) => endWaitsAfter(tx, { now: this.#now(), maxReceives }));
  }

  onAvailable(listener: () => void): void {
    this.#database.onSignal(AVAILABLE_CHANNEL, () => this.#pace.wake(listener));
  }

  announce(tx: Transaction): void {
    tx.signal(AVAILABLE_CHANNEL);
  }

  async line(
    lineId: number,
    reader: Pick<Reader, 'all' | 'allFor'> = this.#database.reader,
  ): Promise<LineState> {
    const line = await readLine(reader, lineId);
    if (line === null || line.pending === 0) return { depth: 0, head: null };
    const [head] = await readHeadOutlines(reader, [lineId]);
    if (head === undefined) return { depth: 0, head: null };
    return lineState(line, head, this.#now());
  }

  async whyHeadIsUnreadable(lineId: number): Promise<string | null> {
    const head = await readHeadAlone(this.#database.reader, lineId);
    return head?.unreadable ?? null;
  }

  async waitingAgain(messageIds: readonly string[]): Promise<Set<string>> {
    return new Set(await readWaitingAgain(this.#database.reader, messageIds));
  }

  async actOnHead(
    tx: Transaction,
    lineId: number,
    action: HeadAction,
    messageId?: string,
  ): Promise<HeadActionResult> {
    const line = await readLockedLine(tx, lineId);
    const [head] = line === null || line.pending === 0 ? [] : await readHeadNames(tx, [lineId]);
    if (line === null || head === undefined) return { outcome: 'empty' };
    if (messageId !== undefined && head.messageId !== messageId) return { outcome: 'other-head' };
    if (isInFlight(line, this.#now())) return { outcome: 'in-flight' };
    if (action === 'retry') await makeDue(tx, lineId, this.#now());
    this.announce(tx);
    const options = { ...this.#removalOptions(), head: head.position };
    const message = action === 'dead-letter' ? await deadLetterMessage(tx, head, options) : null;
    return { outcome: 'done', message };
  }

  async waiting(
    lineId: number,
    { after, limit }: LinePart,
    reader: Pick<Reader, 'dialect' | 'all' | 'allFor'> = this.#database.reader,
  ): Promise<QueuedMessage[]> {
    const part = { after: after ?? 0, through: Number.MAX_SAFE_INTEGER };
    const sizes = await readFirstSizes(reader, lineId, limit, part);
    return await readFirstIfDamaged(reader, lineId, fitting(sizes, TURN_BYTES).length, part);
  }

  async skip(tx: Transaction, lineId: number, position: number): Promise<SkipResult> {
    const result = await skipMessage(tx, lineId, position, this.#removalOptions());
    if (result.outcome === 'done') this.announce(tx);
    return result;
  }

  async purge(tx: Transaction, lineId: number, request: PurgeRequest): Promise<Purged> {
    const purged = await purgeMessages(tx, lineId, request, this.#removalOptions());
    if (purged.messages.length > 0) this.announce(tx);
    return purged;
  }

  async removeDeadLetters(tx: Transaction, messageIds: readonly string[]): Promise<void> {
    await deleteDeadLetters(tx, messageIds);
  }

  async redeliver(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    await deleteDeadLetters(
      tx,
      messages.map((message) => message.messageId),
    );
    const requeuedAt = this.#now();
    // These messages are due at once in every engine, because someone is waiting for them.
    await this.enqueue(
      tx,
      messages.map((message) => ({ ...message, requeuedAt })),
    );
  }

  async totals(): Promise<QueueTotals> {
    const row = await readTotals(this.#database.reader, this.#now());
    return {
      waiting: row.waiting,
      inFlight: row.in_flight,
      deadLetters: row.dead_letters,
      linesBlocked: row.lines_blocked,
      waitingSince: row.waiting_since,
    };
  }

  async forgetLines(tx: Transaction, lineIds: readonly number[]): Promise<number[]> {
    if (lineIds.length === 0) return [];
    await deleteEmptyLines(tx, lineIds);
    const left = await readExistingLines(tx, lineIds);
    const forgotten = lineIds.filter((id) => !left.has(id));
    if (forgotten.length > 0) await this.#onForget(tx, forgotten);
    return forgotten;
  }

  async removeDeadLettersBefore(before: number, limit: number): Promise<number> {
    return await this.#database.transaction((tx) => deleteDeadLettersBefore(tx, before, limit));
  }

  /** Changes lines whose heads may become due, and returns their number. */
  async #announcing(change: (tx: Transaction) => Promise<number>): Promise<number> {
    return await this.#database.transaction(async (tx) => {
      const lines = await change(tx);
      if (lines > 0) this.announce(tx);
      return lines;
    });
  }

  #removalOptions(): RemovalOptions {
    return { now: this.#now(), reader: this.#database.reader, placesDeadLetters: this.#placesDeadLetters };
  }

  #receivingOptions(now: number, request: ReceiveRequest): ReceivingOptions {
    return {
      now,
      capacity: request.capacity,
      lease: this.#leases.create(now, request),
      onMiscount: this.#onMiscount,
    };
  }
}

/** What messages add to their lines, in ascending order of the lines. */
function additionsOf(messages: readonly QueueMessage[], dueAt: (lineId: number) => number): LineAddition[] {
  const additions = new Map<number, LineAddition>();
  for (const message of messages) {
    const { lineId } = message;
    const added = additions.get(lineId);
    additions.set(lineId, {
      lineId,
      count: (added?.count ?? 0) + 1,
      dueAt: added?.dueAt ?? dueAt(lineId),
      lastQueuedAt: Math.max(added?.lastQueuedAt ?? 0, waitingSince(message)),
    });
  }
  return [...additions.values()].sort((a, b) => a.lineId - b.lineId);
}
