import type { Database, Transaction } from '../../database/database.ts';
import type { Received, ReceiveRequest, SettleAndReceive, SettledAndReceived } from '../message-queue.ts';
import type { InstanceLeases } from './instance-leases.ts';
import type { ReceivePace } from './receive-pace.ts';
import { settleAndReceiveInOneStatement } from './settle-and-receive-statement.ts';

/** What settling and receiving in one statement shares with the transactions of the same instance. */
interface SharedParts {
  database: Database;
  now: () => number;
  pace: ReceivePace;
  leases: InstanceLeases;
  receive: (tx: Transaction, request: ReceiveRequest) => Promise<Received>;
}

/** The capability of lines on PostgreSQL to settle delivered messages and receive in one statement. */
export function settleAndReceiveOn({ database, now, pace, leases, receive }: SharedParts): SettleAndReceive {
  return async (delivered, request) => {
    const { messages } = delivered;
    const { capacity } = request;
    const lines = new Set(messages.map(({ lineId }) => lineId));
    const mayContinue = messages.length <= capacity && !pace.othersAreDue;
    if (lines.size < messages.length || !mayContinue) return null;
    const begun = now();
    const lease = leases.create(begun, request);
    const input = { ...delivered, now: begun, lease, capacity };
    const result = await settleAndReceiveInOneStatement(database, input);
    const { received, leftDue, withoutHead } = result;
    if (messages.length + received.length === 0) pace.foundNothing();
    const isFull = received.length >= capacity;
    const nextAt = earliest(result.nextAt, received.length > 0 ? lease.leasedUntil : null);
    const isLeft = leftDue + withoutHead > 0;
    const nextLook = pace.nextLook(isLeft ? begun : nextAt, { now: begun, isFull });
    const done: SettledAndReceived = {
      settled: messages.filter(({ lineId }) => result.settled.has(lineId)),
      received,
      // No other instance works on what was queued to a line while this statement waited for it.
      nextAvailableAt: leftDue > 0 ? begun : nextLook,
    };
    if (withoutHead === 0 || isFull) return done;
    // Others have just emptied these lines, or their counts are wrong, which is corrected here.
    const rest = await database.transaction(
      (tx) => receive(tx, { ...request, capacity: capacity - received.length }),
      { durability: 'deferred' },
    );
    return {
      ...done,
      received: [...received, ...rest.received],
      nextAvailableAt: leftDue > 0 ? begun : rest.nextAvailableAt,
    };
  };
}

/** The earlier of two times, either of which may be missing. */
function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
