import type { Logger } from '../observability/log.ts';
import { messageOf } from '../problems/error-message.ts';
import type { LeaseKeeper, LineReader, ReceivedMessage } from '../queue/message-queue.ts';
import { MINUTE_MS, SECOND_MS } from '../time/units.ts';
import { type FinishedMessage, release } from './settlements.ts';

/** How long a line waits until its outcome is stored again, doubling from the first to the second value. */
const FIRST_PAUSE_MS = SECOND_MS;
const LONGEST_PAUSE_MS = MINUTE_MS;
/** How long outcomes are stored one by one until the next poll: those that were refused together, and those that wait. */
export const ROUND_MS = 10 * SECOND_MS;
const ROUND_OF_WAITING_MS = 2 * SECOND_MS;
/** If more lines wait for their outcomes, it is an outage. This also limits the memory for outcomes. */
const MAX_LINES = 100;
/** How often an outcome must have been refused alone to count as trouble. */
const TROUBLE_FROM = 2;
const LOG_EVERY_MS = MINUTE_MS;
const NOT_NEEDED = 'the outcome of a message is not needed any more: its webhook continues';

/** An outcome that the database refused. */
interface Unstored {
  readonly settlement: FinishedMessage;
  readonly error: unknown;
  /** Whether its line was put back. Otherwise, this instance holds the lease until it ends. */
  readonly isPutBack: boolean;
  /** Whether the message was received again, so that the outcome can be stored. */
  readonly isDue: boolean;
  readonly failures: number;
  /** The time of the first failure, by `elapsed`. */
  readonly since: number;
}

/** Dependencies of {@link UnstoredOutcomes}. */
export interface UnstoredOutcomesDependencies {
  /** Settles a message and records its outcome in one transaction. Returns false if its lease was lost. */
  settle: (settlement: FinishedMessage) => Promise<boolean>;
  lines: Pick<LineReader, 'line'> & Pick<LeaseKeeper, 'holdsLease'>;
  log: Logger;
  onFailure: () => void;
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  elapsed: () => number;
}

/**
 * Stores outcomes one by one after the database refused them together, so that only the lines wait whose outcomes cannot be
 * stored. Such a line is put back for a growing pause. Its message is not sent again by this instance: when it is
 * received, the outcome that is known already is stored (docs/decisions/0037-unstored-outcomes.md).
 */
export class UnstoredOutcomes {
  readonly #with: UnstoredOutcomesDependencies;
  /** By line. */
  readonly #unstored = new Map<number, Unstored>();
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: UnstoredOutcomesDependencies) {
    this.#with = dependencies;
  }

  /** The messages whose leases this instance holds. */
  get held(): readonly ReceivedMessage[] {
    return this.#all().flatMap(({ isPutBack, settlement }) => (isPutBack ? [] : [settlement.message]));
  }

  /** The number of outcomes that can be stored now. */
  get due(): number {
    return this.#unstored.size === 0 ? 0 : this.#all().filter(({ isDue }) => isDue).length;
  }

  /** Whether no outcomes wait. */
  get isEmpty(): boolean {
    return this.#unstored.size === 0;
  }

  /**
   * Whether the outcome of the attempt is known for which this message was received again. It is then due, and the attempt
   * must not be made again.
   */
  recall(message: ReceivedMessage): boolean {
    const unstored = this.#unstored.get(message.lineId);
    if (unstored === undefined) return false;
    const { settlement, isPutBack } = unstored;
    const { position, receiveCount } = settlement.message;
    const furtherReceives = message.receiveCount - receiveCount;
    const isSame = furtherReceives === 0 || (furtherReceives === 1 && !isPutBack);
    if (message.position !== position || !isSame) {
      this.#end(message.lineId, NOT_NEEDED);
      return false;
    }
    // Other outcomes are decided again, because the webhook may have changed.
    if (settlement.outcome.kind !== 'attempt') return false;
    this.#makeDue(unstored, { ...settlement, message });
    return true;
  }

  /** Keeps the outcome of a message to be stored alone, if the last one of its line was refused. Otherwise returns false. */
  replace(settlement: FinishedMessage): boolean {
    const unstored = this.#unstored.get(settlement.message.lineId);
    if (unstored === undefined) return false;
    this.#makeDue(unstored, settlement);
    return true;
  }

  /** Stores the outcomes that are due, as many as fit into a round. @throws {Error} if the database fails */
  async storeDue(): Promise<void> {
    const due = this.#all().flatMap(({ isDue, settlement }) => (isDue ? [settlement] : []));
    const { error } = await this.store(due, ROUND_OF_WAITING_MS);
    if (error !== null) throw error;
  }

  /**
   * Stores each outcome in its own transaction, one after another, and puts back the lines of those that are refused.
   * Returns those that are left because the round ended or the database failed, and the first `error` of the database;
   * null if there was none.
   */
  async store(
    settlements: readonly FinishedMessage[],
    roundMs: number,
  ): Promise<{ left: readonly FinishedMessage[]; error: unknown }> {
    const end = this.#with.elapsed() + roundMs;
    const left: FinishedMessage[] = [];
    let firstError: unknown = null;
    for (const [n, settlement] of settlements.entries()) {
      if (n > 0 && this.#with.elapsed() >= end) {
        left.push(...settlements.slice(n));
        break;
      }
      try {
        await this.#storeOne(settlement);
      } catch (error) {
        // The ones behind it may be accepted.
        firstError ??= error;
        left.push(settlement);
      }
    }
    return { left, error: firstError };
  }

  /** @throws {Error} while there are outcomes that cannot be stored */
  async check(): Promise<void> {
    const lasting: Unstored[] = [];
    for (const unstored of this.#all()) {
      if (unstored.failures < TROUBLE_FROM) continue;
      if (await this.#stillWaits(unstored)) lasting.push(unstored);
    }
    const [first] = lasting;
    if (first === undefined) return;
    const { lineId, messageId } = first.settlement.message;
    const others = lasting.length === 1 ? '' : ` (and of ${lasting.length - 1} other webhooks)`;
    throw new Error(
      `the database refuses the outcome of message ${messageId} of webhook ${lineId}${others}: ${messageOf(first.error)}`,
    );
  }

  #all(): Unstored[] {
    return [...this.#unstored.values()];
  }

  #makeDue(unstored: Unstored, settlement: FinishedMessage): void {
    const { lineId } = settlement.message;
    this.#unstored.set(lineId, { ...unstored, settlement, isPutBack: false, isDue: true });
  }

  /** @throws {Error} if the outcome can neither be stored nor wait */
  async #storeOne(settlement: FinishedMessage): Promise<void> {
    const { lineId } = settlement.message;
    let isEffective: boolean;
    try {
      isEffective = await this.#with.settle(settlement);
    } catch (error) {
      this.#with.onFailure();
      await this.#putBack(settlement, error);
      return;
    }
    this.#end(
      lineId,
      isEffective ? 'the outcome of a message was stored: its webhook continues' : NOT_NEEDED,
    );
  }

  /**
   * Puts back a line whose outcome was refused, and remembers the outcome. If the lease is lost, nothing is remembered: the
   * commit of the outcome took effect although its response was lost, or another instance has the line.
   * @throws {Error} if the database fails, or if too many lines wait
   */
  async #putBack(settlement: FinishedMessage, error: unknown): Promise<void> {
    const { message } = settlement;
    if (!(await this.#hasRoomFor(message.lineId))) throw error;
    const pauseMs = this.#pauseOf(message.lineId);
    let state: 'put back' | 'held' | 'gone';
    try {
      const isEffective = await this.#with.settle(release(message, this.#with.now() + pauseMs));
      state = isEffective ? 'put back' : 'gone';
    } catch {
      this.#with.onFailure();
      state = await this.#stateOf(message);
    }
    if (state === 'gone') this.#end(message.lineId, NOT_NEEDED);
    else this.#remember(settlement, { error, pauseMs: state === 'put back' ? pauseMs : null });
  }

  async #hasRoomFor(lineId: number): Promise<boolean> {
    const hasRoom = () => this.#unstored.has(lineId) || this.#unstored.size < MAX_LINES;
    if (hasRoom()) return true;
    for (const unstored of this.#all()) await this.#stillWaits(unstored);
    return hasRoom();
  }

  /** Whether a message is still leased by this instance, or waits with the receive not counted. */
  async #stateOf(message: ReceivedMessage): Promise<'put back' | 'held' | 'gone'> {
    const { lines } = this.#with;
    if (await lines.holdsLease(message)) return 'held';
    const { head } = await lines.line(message.lineId);
    const isPutBack =
      head?.messageId === message.messageId &&
      !head.inFlight &&
      head.receiveCount === message.receiveCount - 1;
    return isPutBack ? 'put back' : 'gone';
  }

  /**
   * Whether the message of an outcome still waits at the head of its line, without another attempt. Otherwise, it was
   * skipped, purged or sent by another instance, so the outcome is forgotten.
   */
  async #stillWaits(unstored: Unstored): Promise<boolean> {
    const { lines } = this.#with;
    const { message } = unstored.settlement;
    if (unstored.isDue || (!unstored.isPutBack && (await lines.holdsLease(message)))) return true;
    const { head } = await lines.line(message.lineId);
    const receives = head?.inFlight ? message.receiveCount : message.receiveCount - 1;
    if (head?.messageId === message.messageId && head.receiveCount === receives) return true;
    // It may have been received meanwhile.
    if (this.#unstored.get(message.lineId) !== unstored) return true;
    this.#end(message.lineId, NOT_NEEDED);
    return false;
  }

  #pauseOf(lineId: number): number {
    const failures = this.#unstored.get(lineId)?.failures ?? 0;
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  }

  /** @param pauseMs how long the line waits; null if it waits for the end of its lease */
  #remember(
    settlement: FinishedMessage,
    { error, pauseMs }: { error: unknown; pauseMs: number | null },
  ): void {
    const { message, action } = settlement;
    const at = this.#with.elapsed();
    const before = this.#unstored.get(message.lineId);
    const { failures, since } = before ?? { failures: 0, since: at };
    this.#unstored.delete(message.lineId);
    this.#unstored.set(message.lineId, {
      // The body is received again.
      settlement: { ...settlement, message: { ...message, body: '' } },
      error,
      isPutBack: pauseMs !== null,
      isDue: false,
      failures: failures + 1,
      since,
    });
    const fields = { ...fieldsOf(settlement), action, next_try_in_ms: pauseMs, error };
    if (before === undefined) {
      if (this.#unstored.size === 1) this.#loggedAt = at;
      this.#with.log.error(
        'the database refuses the outcome of a message: its webhook waits until it is stored, others continue',
        fields,
      );
    } else if (at - this.#loggedAt >= LOG_EVERY_MS) {
      this.#loggedAt = at;
      this.#with.log.error('the database still refuses outcomes of messages', {
        ...fields,
        failures: failures + 1,
        webhooks: this.#unstored.size,
      });
    }
  }

  #end(lineId: number, text: string): void {
    const before = this.#unstored.get(lineId);
    if (before === undefined) return;
    this.#unstored.delete(lineId);
    const { failures, since, settlement } = before;
    this.#with.log.info(text, {
      ...fieldsOf(settlement),
      failures,
      duration_ms: Math.round(this.#with.elapsed() - since),
    });
  }
}

function fieldsOf({ message }: FinishedMessage) {
  return { webhook_id: message.lineId, event: message.label, message_id: message.messageId };
}
