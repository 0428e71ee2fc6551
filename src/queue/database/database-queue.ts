import { randomUUID } from 'node:crypto';
import type { Database, Reader, Transaction } from '../../database/database.ts';
import {
  addToLines,
  advanceUnleasedLine,
  deleteEmptyLines,
  insertMessages,
  type LineAddition,
  type LineRow,
  lockLines,
  makeDue,
  readExistingLines,
  readFirstMessages,
  readHeads,
  readLastEnqueuedAt,
  readLine,
  readLockedLine,
  readMiscounts,
  readNextDue,
  readTotals,
  recountLine,
  subtractFromLine,
} from '../lines/database-queue-statements.ts';
import {
  copyToDeadLetters,
  deleteDeadLetters,
  deleteDeadLettersBefore,
} from '../lines/dead-letter-statements.ts';
import { DoneMessages, deleteMessages } from '../lines/done-messages.ts';
import {
  advanceAndLeaseLines,
  advanceLines,
  endAllLeases,
  endOtherLeases,
  type HeldLine,
  type LeavingHead,
  leaseDueLines,
  postponeLines,
  readHeldLines,
} from '../lines/lease-statements.ts';
import { PacedCalls } from '../lines/paced-calls.ts';
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
  ReceivedMessage,
  Settled,
  Settlement,
} from '../message-queue.ts';
import { insertSharedBody } from '../shared-bodies.ts';

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
  readonly #onMiscount: (text: string) => void;
  readonly #copies: { waitMs: number } | null;
  readonly #wakeUps: PacedCalls;
  /**
   * Whether the last exchange left lines that were due, for want of capacity. While it does, a line whose message
   * was delivered queues behind them; otherwise it goes on at once, which saves its row a second update.
   */
  #othersAreDue = false;
  readonly #done = new DoneMessages();
  /** Begins the tokens of this instance's leases. */
  readonly #holder = randomUUID();

  constructor({
    database,
    maxReceives,
    now,
    onMiscount = () => {},
    copies = null,
  }: {
    database: Database;
    maxReceives: number;
    now: () => number;
    /** Called with a sentence about a line whose count was wrong, and was set right. */
    onMiscount?: (text: string) => void;
    /**
     * Set when messages are copied to another queue, and dead letters too. The head of an idle line then waits so long for its
     * copy, which makes it due, and no receiver is notified until then.
     */
    copies?: { waitMs: number } | null;
  }) {
    this.#database = database;
    this.maxReceives = maxReceives;
    this.#now = now;
    this.#onMiscount = onMiscount;
    this.#copies = copies;
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

  async holdLines(tx: Transaction, lineIds: readonly number[]): Promise<number> {
    // The second statement begins when the first has its locks, so it sees what those before it have committed.
    const [, last] = await Promise.all([lockLines(tx, lineIds), readLastEnqueuedAt(tx, lineIds)]);
    return Math.max(this.#now(), last);
  }

  /** Sets right the counts of lines that a fault made wrong, and reports each. */
  async recount(): Promise<void> {
    const wrong = await readMiscounts(this.#database.reader);
    if (wrong.length === 0) return;
    await this.#database.transaction(async (tx) => {
      for (const { lineId } of wrong) await recountLine(tx, lineId, this.#now());
    });
    for (const { lineId, pending, stored } of wrong)
      this.#onMiscount(`the line of webhook ${lineId} counted ${pending} messages and holds ${stored}`);
  }

  async share(tx: Transaction, text: string): Promise<number> {
    return await insertSharedBody(tx, text);
  }

  async enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    await this.#enqueue(tx, messages, this.#copies?.waitMs ?? 0);
  }

  async #enqueue(tx: Transaction, messages: readonly QueueMessage[], waitMs: number): Promise<void> {
    if (messages.length === 0) return;
    const additions = new Map<number, LineAddition>();
    for (const { lineId, enqueuedAt } of messages) {
      const { count, lastEnqueuedAt } = additions.get(lineId) ?? { count: 0, lastEnqueuedAt: 0 };
      additions.set(lineId, {
        lineId,
        count: count + 1,
        lastEnqueuedAt: Math.max(lastEnqueuedAt, enqueuedAt),
      });
    }
    // Lines first and in ascending order: holding the line's row is what makes numbers follow commits. The messages go
    // right behind, in the same order but not waited for: others wait for the line until the commit.
    const ascending = [...additions.values()].sort((a, b) => a.lineId - b.lineId);
    await Promise.all([addToLines(tx, ascending, this.#now() + waitMs), insertMessages(tx, messages)]);
    if (waitMs === 0) tx.signal(AVAILABLE_CHANNEL);
  }

  /** @param makeDue makes lines due that nobody has locked, before lines are taken up */
  async exchange<S extends Settlement>(
    request: ExchangeRequest<S>,
    makeDue?: (tx: Transaction) => Promise<void>,
  ): Promise<ExchangeResult> {
    const result = await this.#database.transaction((tx) => this.#exchangeIn(tx, request, makeDue), {
      durability: 'deferred',
    });
    if (result.received.length === 0 && request.settlements.length === 0) this.#wakeUps.pause();
    return result;
  }

  /** Statements that do not need each other's results are not waited for one by one: a server gets them in one go. */
  async #exchangeIn<S extends Settlement>(
    tx: Transaction,
    request: ExchangeRequest<S>,
    makeDue?: (tx: Transaction) => Promise<void>,
  ): Promise<ExchangeResult> {
    const now = this.#now();
    // Only here, where no other process would have to delete them. Who takes nothing up looks at the table in other ways.
    const deletesLater = tx.dialect === 'sqlite' && request.capacity > 0;
    const lease = { leaseToken: `${this.#holder}/${randomUUID()}`, leasedUntil: now + request.visibilityMs };
    // Lines that go on with their next message; a line that is not left with one is no longer taken.
    const goOn = this.#othersAreDue ? 0 : request.capacity;
    const { effective, held } = await stillHeld(tx, request.settlements, { withNext: goOn > 0 });
    // Every lock that may have to be waited for is held by now.
    await makeDue?.(tx);
    const continuing = effective.filter(({ action }) => action === 'delete').slice(0, goOn);
    const continued = linesOf(continuing).filter((lineId) => (held.get(lineId)?.pending ?? 0) > 1);
    const next = continued.flatMap((lineId) => held.get(lineId)?.next ?? []);
    const settling = this.#settle(tx, request, { effective, continuing, lease, now, deletesLater });
    // Followers that are discarded change what is due.
    if (effective.some(({ action }) => action === 'discard')) await settling;
    const [due, heads] = await Promise.all([
      this.#takeUpDue(tx, { now, ...lease, limit: request.capacity - continued.length }),
      next.length === continued.length ? next : readHeads(tx, continued),
      settling,
    ]);
    const dueHeads = due.taken.size === 0 ? [] : await readHeads(tx, due.taken.keys());
    if (dueHeads.length < due.taken.size) await this.#recountEmpty(tx, due.taken.keys(), dueHeads);
    await this.#done.delete(tx, {
      added: deletesLater ? positionsOf(effective.filter((settlement) => !staysInLine(settlement))) : [],
      atAnyRate: !deletesLater || continued.length + due.taken.size === 0,
    });
    const isMoreDue = due.nextAt !== null && due.nextAt <= now;
    this.#othersAreDue = isMoreDue && continued.length + due.taken.size >= request.capacity;
    const { leaseToken } = lease;
    return {
      received: [
        ...heads.map((head) => ({ ...head, leaseToken, receiveCount: 1 })),
        ...dueHeads.map((head) => ({ ...head, leaseToken, receiveCount: due.taken.get(head.lineId)! })),
      ],
      // With room left, what is due is in others' hands at this moment.
      nextAvailableAt: isMoreDue && !this.#othersAreDue ? now + LOOK_AGAIN_MS : due.nextAt,
    };
  }

  /** Sets lines right that counted messages and hold none. */
  async #recountEmpty(
    tx: Transaction,
    lineIds: Iterable<number>,
    heads: readonly QueuedMessage[],
  ): Promise<void> {
    const withHead = new Set(heads.map((head) => head.lineId));
    const empty = [...lineIds].filter((lineId) => !withHead.has(lineId));
    for (const lineId of empty) await recountLine(tx, lineId, this.#now());
    tx.onCommit(() => {
      for (const lineId of empty)
        this.#onMiscount(`the line of webhook ${lineId} counted messages and holds none`);
    });
  }

  /** Leases lines that are due; answers their receive counts, and when the next one is due. */
  async #takeUpDue(
    tx: Transaction,
    request: { now: number; leasedUntil: number; leaseToken: string; limit: number },
  ): Promise<{ taken: Map<number, number>; nextAt: number | null }> {
    const nothing = new Map<number, number>();
    if (tx.dialect === 'postgres') {
      const [taken, nextAt] = await Promise.all([
        request.limit > 0 ? leaseDueLines(tx, request) : nothing,
        readNextDue(tx),
      ]);
      return { taken, nextAt };
    }
    // Mostly nothing else is due: to look costs a tenth of what an update that finds nothing does.
    const nextAt = await readNextDue(tx);
    if (request.limit <= 0 || nextAt === null || nextAt > request.now) return { taken: nothing, nextAt };
    return { taken: await leaseDueLines(tx, request), nextAt: await readNextDue(tx) };
  }

  async takeBackLeases(held: readonly Pick<ReceivedMessage, 'lineId' | 'leaseToken'>[]): Promise<number> {
    return await this.#database.transaction((tx) =>
      endOtherLeases(tx, `${this.#holder}/`, held, this.#now()),
    );
  }

  onAvailable(listener: () => void): void {
    this.#database.onSignal(AVAILABLE_CHANNEL, () => this.#wakeUps.call(listener));
  }

  async line(
    lineId: number,
    reader: Pick<Reader, 'all' | 'allFor'> = this.#database.reader,
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
        // A head that waits for its copy is as good as due.
        availableAt: Math.min(
          line.available_at ?? this.#now(),
          line.receive_count === 0 ? this.#now() : Number.POSITIVE_INFINITY,
        ),
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
      await copyToDeadLetters(tx, [head.position], { now, copyAt: this.#copyAt(now) });
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
    // Somebody waits for these, and a copy of the same id is none to Amazon SQS for minutes.
    await this.#enqueue(tx, messages, 0);
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

  async #settle<S extends Settlement>(
    tx: Transaction,
    request: ExchangeRequest<S>,
    {
      effective,
      continuing,
      lease,
      now,
      deletesLater,
    }: {
      effective: readonly S[];
      continuing: readonly S[];
      lease: { leaseToken: string; leasedUntil: number };
      now: number;
      deletesLater: boolean;
    },
  ): Promise<void> {
    if (effective.length === 0) {
      if (request.settlements.length > 0) await request.record(tx, []);
      return;
    }
    const gone = effective.filter((settlement) => !staysInLine(settlement));
    const goesOn = new Set<Settlement>(continuing);
    const leaving = gone.filter((settlement) => !goesOn.has(settlement));
    const toHead = ({ message }: Settlement): LeavingHead => ({
      lineId: message.lineId,
      doneTo: deletesLater ? message.position : null,
    });
    const staying = effective.filter(staysInLine).map((settlement) => ({
      lineId: settlement.message.lineId,
      availableAt: settlement.availableAt ?? now,
      uncounted: settlement.action === 'release',
    }));
    const dead = effective.filter((settlement) => settlement.action === 'dead-letter');
    const writes: Promise<void>[] = [];
    if (continuing.length > 0) writes.push(advanceAndLeaseLines(tx, continuing.map(toHead), lease));
    if (leaving.length > 0) writes.push(advanceLines(tx, leaving.map(toHead), now));
    if (staying.length > 0) writes.push(postponeLines(tx, staying));
    if (dead.length > 0)
      writes.push(copyToDeadLetters(tx, positionsOf(dead), { now, copyAt: this.#copyAt(now) }));
    if (gone.length > 0 && !deletesLater) writes.push(deleteMessages(tx, positionsOf(gone)));
    await Promise.all([...writes, this.#discardAndRecord(tx, request, effective)]);
  }

  async #discardAndRecord<S extends Settlement>(
    tx: Transaction,
    request: ExchangeRequest<S>,
    effective: readonly S[],
  ): Promise<void> {
    const settled: Settled<S>[] = [];
    for (const settlement of effective) {
      const discarded =
        settlement.action === 'discard'
          ? await this.#discardFollowers(tx, settlement.message.lineId, settlement.followersBefore)
          : [];
      settled.push({ settlement, discarded });
    }
    await request.record(tx, settled);
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

  #copyAt(now: number): number | null {
    return this.#copies === null ? null : now;
  }

  #isOut(line: LineRow): boolean {
    return line.lease_token !== null && (line.available_at ?? 0) > this.#now();
  }
}

/**
 * The settlements whose lease is still held, and what is known of their lines. Of several of one line only the first
 * counts: with it the lease ends.
 * @param withNext whether lines whose head goes are to go on with their next message
 */
async function stillHeld<S extends Settlement>(
  tx: Transaction,
  settlements: readonly S[],
  { withNext }: { withNext: boolean },
): Promise<{ effective: S[]; held: ReadonlyMap<number, HeldLine> }> {
  if (settlements.length === 0) return { effective: [], held: new Map() };
  const settled = new Set<number>();
  const held = await readHeldLines(
    tx,
    settlements.map(({ action, message: { lineId, leaseToken, position } }) => ({
      lineId,
      leaseToken,
      nextBehind: withNext && action === 'delete' ? position : null,
    })),
  );
  const effective = settlements.filter(({ message: { lineId, leaseToken } }) => {
    if (held.get(lineId)?.leaseToken !== leaseToken || settled.has(lineId)) return false;
    settled.add(lineId);
    return true;
  });
  return { effective, held };
}

function linesOf(settlements: readonly Settlement[]): number[] {
  return settlements.map(({ message }) => message.lineId);
}

function staysInLine<S extends Settlement>(settlement: S): settlement is S & { action: 'retry' | 'release' } {
  return settlement.action === 'retry' || settlement.action === 'release';
}

function positionsOf(settlements: readonly Settlement[]): number[] {
  return settlements.map((settlement) => settlement.message.position);
}
