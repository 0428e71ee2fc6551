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
  /** Whether settling is given the request to receive, too, as the service does. */
  leasesNext: boolean;
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
    leasesNext = true,
    record = async () => {},
  }: Partial<ExchangeRequest<S>>,
): Promise<Received> {
  return await database.transaction(
    async (tx) => {
      const request = { capacity, visibilityMs };
      await record(tx, await queue.settle(tx, settlements, leasesNext ? request : undefined));
      return await queue.receive(tx, request);
    },
    { durability: 'deferred' },
  );
}
