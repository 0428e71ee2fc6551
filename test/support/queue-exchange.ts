import type { Database, Transaction } from '../../src/database/database.ts';
import type {
  MessageQueue,
  Received,
  ReceiveRequest,
  Settled,
  Settlement,
} from '../../src/queue/message-queue.ts';

/** What is done with a queue in one transaction. */
export interface ExchangeRequest<S extends Settlement = Settlement> extends ReceiveRequest {
  settlements: readonly S[];
  /** Called with the settlements that took effect, in the same transaction. */
  record(tx: Transaction, settled: readonly Settled<S>[]): Promise<void>;
}

/** Settles, records and receives in one transaction, as the service does. */
export async function exchange<S extends Settlement = Settlement>(
  { queue, database }: { queue: Pick<MessageQueue, 'settle' | 'receive'>; database: Database },
  {
    settlements = [],
    capacity = 0,
    visibilityMs = 60_000,
    record = async () => {},
  }: Partial<ExchangeRequest<S>>,
): Promise<Received> {
  return await database.transaction(
    async (tx) => {
      await record(tx, await queue.settle(tx, settlements));
      return await queue.receive(tx, { capacity, visibilityMs });
    },
    { durability: 'deferred' },
  );
}
