import { makeProbe } from '../database/change-probe.ts';
import type { Database, Transaction, TransactionOptions } from '../database/database.ts';
import type { DeliveryQueue, Received, ReceiveRequest, Settled } from '../queue/message-queue.ts';
import type { DeliveryTargets } from '../webhooks/delivery-targets.ts';
import { deliveredRow, isDeliveredAtOnce, RECORD_DELIVERED } from '../webhooks/history/delivered-at-once.ts';
import { recordOutcomes } from '../webhooks/history/record-outcomes.ts';
import { type FinishedMessage, isHeld, withCurrentFollowers } from './settlements.ts';

/** The result of a poll. */
export interface Polled extends Received {
  /** The number of settlements that took effect. */
  settled: number;
  /** The settlements that removed messages from their lines without an attempt. */
  removed: readonly Settled<FinishedMessage>[];
}

/**
 * Whether other instances are notified that lines may be due for them, because this instance stops and receives nothing
 * more.
 */
export type Notifies = 'never' | 'if settled' | 'always';

/** The request to receive nothing. */
export const NOTHING: ReceiveRequest = { capacity: 0, visibilityMs: 0 };

/** Dependencies of {@link QueuePoll}. */
export interface QueuePollDependencies {
  database: Database;
  queue: DeliveryQueue;
  targets: DeliveryTargets;
}

/**
 * Settles finished messages on the queue, records them in the history and the statistics, and receives the next ones.
 * All of these always agree, because they are one transaction. On PostgreSQL, it is a single statement if all messages
 * were delivered at their first attempt.
 */
export class QueuePoll {
  readonly #with: QueuePollDependencies;

  constructor(dependencies: QueuePollDependencies) {
    this.#with = dependencies;
  }

  /**
   * A failed call may have taken effect. It is idempotent, so repeat it.
   * @param notifies which calls notify other instances
   * @param receivesOneByOne whether each message is read in a statement of its own, because one may be damaged
   */
  async run(
    finished: readonly FinishedMessage[],
    next: ReceiveRequest,
    {
      notifies = 'never',
      receivesOneByOne = false,
    }: { notifies?: Notifies; receivesOneByOne?: boolean } = {},
  ): Promise<Polled> {
    if (receivesOneByOne) {
      const settled = await this.run(finished, NOTHING, { notifies });
      return { ...settled, ...(await this.#with.queue.receiveOneByOne(next)) };
    }
    const inOneStatement = notifies === 'never' ? await this.#inOneStatement(finished, next) : null;
    return inOneStatement ?? (await this.#inTransaction(finished, next, { notifies }));
  }

  /** Settles one message without receiving. The database is expected to refuse it. It is idempotent, too. */
  async settleAlone(finished: FinishedMessage, notifies: Notifies): Promise<Polled> {
    return await this.#inTransaction([finished], NOTHING, { notifies, expectsRefusal: true });
  }

  /**
   * Shows whether polls without outcomes work, with a change that has no effect. Leases nothing.
   * @throws {Error} if they do not
   */
  async probe(): Promise<void> {
    const { database, queue } = this.#with;
    await database.transaction(
      async (tx) => {
        await queue.settle(tx, [], NOTHING);
        await queue.receive(tx, NOTHING);
        await makeProbe(tx, 'outcome-probe');
      },
      { durability: 'deferred' },
    );
  }

  /** Null if nothing was done, because these messages need a transaction. */
  async #inOneStatement(finished: readonly FinishedMessage[], next: ReceiveRequest): Promise<Polled | null> {
    const { settleAndReceive } = this.#with.queue;
    if (settleAndReceive === null || !finished.every(isDeliveredAtOnce)) return null;
    const messages = finished.map(({ message }) => message);
    const rows = finished.map(deliveredRow);
    const delivered = { messages, rows, steps: RECORD_DELIVERED };
    const done = await settleAndReceive(delivered, next);
    if (done === null) return null;
    const { settled, received, nextAvailableAt } = done;
    if (settled.length === finished.length)
      return { settled: settled.length, received, nextAvailableAt, removed: [] };
    // Their leases were lost, or someone has removed their rows manually: a transaction finds out.
    const known = new Set(settled);
    const others = finished.filter(({ message }) => !known.has(message));
    const rest = await this.#inTransaction(others, { ...next, capacity: next.capacity - received.length });
    return { ...rest, settled: settled.length + rest.settled, received: [...received, ...rest.received] };
  }

  async #inTransaction(
    finished: readonly FinishedMessage[],
    next: ReceiveRequest,
    { notifies = 'never', ...options }: TransactionOptions & { notifies?: Notifies } = {},
  ): Promise<Polled> {
    const { database, queue } = this.#with;
    return await database.transaction(
      async (tx) => {
        const settled = await queue.settle(tx, await this.#withCurrentFollowers(tx, finished), next);
        if (notifies === 'always' || (notifies === 'if settled' && settled.length > 0))
          queue.lines.announce(tx);
        await this.#freeResumed(tx, settled);
        await this.#freeChanged(tx, settled);
        // Neither needs the other's result, so the server receives their statements together.
        const [taken] = await Promise.all([queue.receive(tx, next), recordOutcomes(tx, settled)]);
        return {
          ...taken,
          settled: settled.length,
          removed: settled.filter(({ settlement: { outcome } }) =>
            ['discard', 'exhausted'].includes(outcome.kind),
          ),
        };
      },
      { ...options, durability: 'deferred' },
    );
  }

  /**
   * Returns the messages, but followers are discarded only if their webhooks, as they are now, still require it. A change of a
   * webhook locks its line. All lines are locked in one call, because everyone locks them in ascending order.
   */
  async #withCurrentFollowers(
    tx: Transaction,
    finished: readonly FinishedMessage[],
  ): Promise<readonly FinishedMessage[]> {
    const linesOf = (some: readonly FinishedMessage[]) => [
      ...new Set(some.map(({ message }) => message.lineId)),
    ];
    const discards = finished.filter(({ action }) => action === 'discard');
    if (discards.length === 0) return finished;
    await this.#with.queue.lines.lockLines(tx, linesOf(finished));
    const current = await this.#with.targets.read(linesOf(discards), tx);
    return finished.map((each) => withCurrentFollowers(each, current.get(each.message.lineId)));
  }

  /**
   * Makes heads due again whose webhooks were resumed while their heads were being put on hold. Resuming locks the
   * line, as this transaction does. So it either came first and is seen here, or it comes later and finds the head on
   * hold.
   */
  async #freeResumed(tx: Transaction, settled: readonly Settled<FinishedMessage>[]): Promise<void> {
    const held = settled.flatMap(({ settlement }) => (isHeld(settlement) ? [settlement.message.lineId] : []));
    if (held.length === 0) return;
    for (const lineId of await this.#with.targets.resumed(tx, held))
      await this.#with.queue.lines.actOnHead(tx, lineId, 'retry');
  }

  /**
   * Makes heads due at once whose webhooks were changed during their failed attempts. A change makes the head due, but
   * not one in flight. It locks the line too, so what it did is seen here, as in `#freeResumed`.
   */
  async #freeChanged(tx: Transaction, settled: readonly Settled<FinishedMessage>[]): Promise<void> {
    const failed = settled.flatMap(({ settlement: { action, target, message } }) =>
      action === 'retry' && target !== null ? [{ target, message }] : [],
    );
    if (failed.length === 0) return;
    for (const lineId of await this.#with.targets.changed(tx, failed))
      await this.#with.queue.lines.actOnHead(tx, lineId, 'retry');
  }
}
