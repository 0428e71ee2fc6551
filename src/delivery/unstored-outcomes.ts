import type { Logger } from '../observability/log.ts';
import { messageOf } from '../problems/error-message.ts';
import type { ReceivedMessage } from '../queue/message-queue.ts';
import { MINUTE_MS, SECOND_MS } from '../time/units.ts';
import { type FinishedMessage, release } from './settlements.ts';

/** How many outcomes are stored at the same time, each in its own transaction. Others need connections, too. */
const PARALLEL = 2;
/** How long a line waits until its outcome is stored again, doubling from the first to the second value. */
const FIRST_PAUSE_MS = SECOND_MS;
const LONGEST_PAUSE_MS = MINUTE_MS;
/** An outcome that was not needed for this long is forgotten: another instance has continued its line. */
const FORGOTTEN_AFTER_MS = 5 * MINUTE_MS;
/** How often an outcome must have been refused alone to count as trouble. */
const TROUBLE_FROM = 2;
const LOG_EVERY_MS = MINUTE_MS;

/** An outcome that the database refused. */
interface Unstored {
  /** Without the body, which is received again. */
  readonly settlement: FinishedMessage;
  readonly error: unknown;
  /** Whether its line was put back. Otherwise, its lease has to end, which counts as a receive. */
  readonly isPutBack: boolean;
  readonly failures: number;
  /** The times of the first and of the last failure, by `elapsed`. */
  readonly since: number;
  readonly at: number;
}

/** Dependencies of {@link UnstoredOutcomes}. */
export interface UnstoredOutcomesDependencies {
  /** Settles a message and records its outcome in one transaction. Returns false if its lease was lost. */
  settle: (settlement: FinishedMessage) => Promise<boolean>;
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
  readonly #storing = new Set<FinishedMessage>();
  readonly #waiting: (() => void)[] = [];
  #free = PARALLEL;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: UnstoredOutcomesDependencies) {
    this.#with = dependencies;
  }

  /** The number of outcomes that are being stored now. */
  get storing(): number {
    return this.#storing.size;
  }

  /** The messages whose leases are held: their outcomes are being stored, or their lines could not be put back. */
  get held(): readonly ReceivedMessage[] {
    const left = [...this.#unstored.values()].filter(({ isPutBack }) => !isPutBack);
    return [...this.#storing, ...left.map(({ settlement }) => settlement)].map(({ message }) => message);
  }

  /** Whether no outcomes were refused recently. */
  get isEmpty(): boolean {
    return this.#unstored.size === 0;
  }

  /** Whether the database refused the last outcome of this line. */
  has(lineId: number): boolean {
    return this.#unstored.has(lineId);
  }

  /** The known outcome of the attempt for which this message was received again; null if it has to be made. */
  recall(message: ReceivedMessage): FinishedMessage | null {
    const unstored = this.#unstored.get(message.lineId);
    if (unstored?.settlement.outcome.kind !== 'attempt') return null;
    const { settlement, isPutBack } = unstored;
    const { position, receiveCount } = settlement.message;
    const furtherReceives = message.receiveCount - receiveCount;
    const isSame = furtherReceives === 0 || (furtherReceives === 1 && !isPutBack);
    if (message.position === position && isSame) return { ...settlement, message };
    this.#unstored.delete(message.lineId);
    return null;
  }

  /**
   * Stores each outcome in its own transaction, and puts back the lines of those that are refused.
   * @throws the error of an outcome if the database stored nothing at all. Then all are as before
   */
  async store(settlements: readonly FinishedMessage[]): Promise<void> {
    for (const settlement of settlements) this.#storing.add(settlement);
    try {
      await this.#store(settlements);
    } finally {
      for (const settlement of settlements) this.#storing.delete(settlement);
    }
  }

  /** @throws {Error} while there are outcomes that cannot be stored */
  async check(): Promise<void> {
    this.#forgetOld();
    const lasting = [...this.#unstored.values()].filter(({ failures }) => failures >= TROUBLE_FROM);
    const [first] = lasting;
    if (first === undefined) return;
    const { lineId, messageId } = first.settlement.message;
    const others = lasting.length === 1 ? '' : ` (and of ${lasting.length - 1} other webhooks)`;
    throw new Error(
      `the database refuses the outcome of message ${messageId} of webhook ${lineId}${others}: ${messageOf(first.error)}`,
    );
  }

  async #store(settlements: readonly FinishedMessage[]): Promise<void> {
    this.#forgetOld();
    const refused: { settlement: FinishedMessage; error: unknown }[] = [];
    await this.#forEach(settlements, async (settlement) => {
      const result = await this.#settle(settlement);
      if ('error' in result) refused.push({ settlement, ...result });
      else if (result.isEffective) this.#stored(settlement);
    });
    const lost: typeof refused = [];
    await this.#forEach(refused, async (each) => {
      const { message, outcome } = each.settlement;
      const pauseMs = this.#pauseOf(message.lineId);
      const result = await this.#settle(release(message, this.#with.now() + pauseMs));
      if ('error' in result) lost.push(each);
      else if (outcome.kind !== 'release')
        this.#remember(each, { pauseMs: result.isEffective ? pauseMs : null });
    });
    const [first] = lost;
    if (first === undefined) return;
    if (lost.length === settlements.length) throw first.error;
    // The database works, so this is the fault of these lines. Their leases end by themselves.
    for (const each of lost) this.#remember(each, { pauseMs: null });
  }

  async #settle(settlement: FinishedMessage): Promise<{ isEffective: boolean } | { error: unknown }> {
    try {
      return { isEffective: await this.#with.settle(settlement) };
    } catch (error) {
      this.#with.onFailure();
      return { error };
    }
  }

  /** Does something for each item, for a few at a time, whoever else does so. `act` must not reject. */
  async #forEach<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
    await Promise.all(
      items.map(async (item) => {
        if (this.#free > 0) this.#free -= 1;
        else await new Promise<void>((resolve) => this.#waiting.push(resolve));
        await act(item);
        const next = this.#waiting.shift();
        if (next === undefined) this.#free += 1;
        else next();
      }),
    );
  }

  #pauseOf(lineId: number): number {
    const failures = this.#unstored.get(lineId)?.failures ?? 0;
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  }

  /** @param pauseMs how long the line waits; null if it waits for the end of its lease */
  #remember(
    { settlement, error }: { settlement: FinishedMessage; error: unknown },
    { pauseMs }: { pauseMs: number | null },
  ): void {
    const { message, action } = settlement;
    const at = this.#with.elapsed();
    const before = this.#unstored.get(message.lineId);
    const { failures, since } = before ?? { failures: 0, since: at };
    this.#unstored.delete(message.lineId);
    this.#unstored.set(message.lineId, {
      settlement: { ...settlement, message: { ...message, body: '' } },
      error,
      isPutBack: pauseMs !== null,
      failures: failures + 1,
      since,
      at,
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

  #stored(settlement: FinishedMessage): void {
    const { lineId } = settlement.message;
    const before = this.#unstored.get(lineId);
    if (before === undefined) return;
    this.#unstored.delete(lineId);
    const { failures, since } = before;
    this.#with.log.info('the outcome of a message was stored: its webhook continues', {
      ...fieldsOf(settlement),
      failures,
      duration_ms: Math.round(this.#with.elapsed() - since),
    });
  }

  #forgetOld(): void {
    const now = this.#with.elapsed();
    for (const [lineId, { at }] of this.#unstored)
      if (now - at >= FORGOTTEN_AFTER_MS) this.#unstored.delete(lineId);
  }
}

function fieldsOf({ message }: FinishedMessage) {
  return { webhook_id: message.lineId, event: message.label, message_id: message.messageId };
}
