import { LineQueue, type LineQueueOptions } from '../lines/line-queue.ts';
import { exchangeInOneStatement } from '../lines/one-statement-exchange.ts';
import type { DeliveredBatch, ExchangedAtOnce, ReceiveRequest } from '../message-queue.ts';

/** The queue in the service's own database, and nowhere else. */
export class DatabaseQueue extends LineQueue {
  readonly engine = 'database';
  readonly maxReceives: number;

  constructor({ maxReceives, ...options }: LineQueueOptions & { maxReceives: number }) {
    super(options);
    this.maxReceives = maxReceives;
  }

  override async exchangeAtOnce(
    { messages, steps, rows }: DeliveredBatch,
    request: ReceiveRequest,
  ): Promise<ExchangedAtOnce | null> {
    if (this.database.dialect !== 'postgres') return null;
    const { capacity } = request;
    const lines = new Set(messages.map(({ lineId }) => lineId));
    const mayContinue = messages.length <= capacity && !this.othersAreDue;
    if (lines.size < messages.length || !mayContinue) return null;
    const now = this.now();
    const lease = this.newLease(now, request);
    const result = await exchangeInOneStatement(this.database, {
      messages,
      steps,
      rows,
      now,
      lease,
      capacity,
    });
    const { received, leftDue, withoutHead } = result;
    if (messages.length + received.length === 0) this.wakeUps.pause();
    const isFull = received.length >= capacity;
    const nextAt = earliest(result.nextAt, received.length > 0 ? lease.leasedUntil : null);
    const isLeft = leftDue + withoutHead > 0;
    const nextLook = this.nextLook(isLeft ? now : nextAt, { now, isFull });
    const exchanged: ExchangedAtOnce = {
      settled: messages.filter(({ lineId }) => result.settled.has(lineId)),
      received,
      // No other instance works on what was queued to a line while this statement waited for it.
      nextAvailableAt: leftDue > 0 ? now : nextLook,
    };
    if (withoutHead === 0 || isFull) return exchanged;
    // Others have just emptied these lines, or their counts are wrong, which is corrected here.
    const rest = await this.database.transaction(
      (tx) => this.receive(tx, { ...request, capacity: capacity - received.length }),
      { durability: 'deferred' },
    );
    return {
      ...exchanged,
      received: [...received, ...rest.received],
      nextAvailableAt: leftDue > 0 ? now : rest.nextAvailableAt,
    };
  }
}

/** The earlier of two times, either of which may be missing. */
function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
