import type { Database, Transaction } from '../../src/database/database.ts';
import type {
  MessageQueue,
  Received,
  ReceivedMessage,
  ReceiveRequest,
  RecordingSteps,
  Settled,
  Settlement,
} from '../../src/queue/message-queue.ts';

/** The steps of one transaction on a queue. */
export interface SettleAndReceiveRequest<S extends Settlement = Settlement> extends ReceiveRequest {
  settlements: readonly S[];
  /** Whether settling also gets the request to receive, as in the service. */
  leasesNext: boolean;
  /** Called with the settlements that took effect, in the same transaction. */
  record(tx: Transaction, settled: readonly Settled<S>[]): Promise<void>;
}

/** Nothing else is done with delivered messages. */
const NO_STEPS: RecordingSteps = { columns: {}, changes: {} };

/**
 * Settles, records and receives in one transaction, as the service does; where the queue can, delivered messages in one
 * statement.
 */
export async function settleAndReceive<S extends Settlement = Settlement>(
  {
    queue,
    database,
  }: { queue: Pick<MessageQueue, 'settle' | 'receive' | 'settleAndReceive'>; database: Database },
  {
    settlements = [],
    capacity = 0,
    visibilityMs = 60_000,
    leasesNext = true,
    record = async () => {},
  }: Partial<SettleAndReceiveRequest<S>>,
): Promise<Received> {
  const request = { capacity, visibilityMs };
  const inTransaction = async (some: readonly S[], next: ReceiveRequest) =>
    await database.transaction(
      async (tx) => {
        await record(tx, await queue.settle(tx, some, leasesNext ? next : undefined));
        return await queue.receive(tx, next);
      },
      { durability: 'deferred' },
    );
  const { settleAndReceive } = queue;
  if (settleAndReceive !== null && leasesNext && settlements.every(({ action }) => action === 'delete')) {
    const messages = settlements.map(({ message }) => message);
    const rows = messages.map(() => ({}));
    const settledAndReceived = await settleAndReceive({ messages, rows, steps: NO_STEPS }, request);
    if (settledAndReceived !== null) {
      const done = new Set<ReceivedMessage>(settledAndReceived.settled);
      const settled = settlements.flatMap((settlement) =>
        done.has(settlement.message) ? [{ settlement, discarded: [] }] : [],
      );
      await database.transaction((tx) => record(tx, settled));
      if (settled.length === settlements.length) return settledAndReceived;
      const { received } = settledAndReceived;
      const others = settlements.filter(({ message }) => !done.has(message));
      const rest = await inTransaction(others, { ...request, capacity: capacity - received.length });
      return { ...rest, received: [...received, ...rest.received] };
    }
  }
  return await inTransaction(settlements, request);
}
