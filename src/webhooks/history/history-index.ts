import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { oneAtATime } from '../../one-at-a-time.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { listDeliveries, readListedTo, readNextListed } from './history-index-store.ts';

/** Newer deliveries are scanned when a list is read: a few thousand rows. */
const LISTING_INTERVAL_MS = 500;
/** Deliveries per transaction. It takes the database 2 to 4 ms for 100 webhooks, and 20 ms for 10,000. */
const LISTED_TOGETHER = 2_048;
/** Between two such transactions, deliveries and events have the database to themselves. */
const STEP_PAUSE_MS = 25;

/**
 * Adds deliveries to the lists of their webhooks, many at a time, after they were recorded. Otherwise each delivery
 * would write a page of its webhook's list, which takes a twelfth of all time with 100 webhooks. A reader of a list
 * also scans the deliveries that are not listed yet, so none is ever missing. After a crash, the next process lists
 * them. Only SQLite needs these lists, and there no other process delivers. On PostgreSQL, the table has an index.
 */
export class HistoryIndex implements AsyncDisposable {
  readonly #database: Database;
  readonly #task: BackgroundTask;
  #listedTo: number | null = null;
  /** Lists all deliveries that are not listed yet. @throws {DatabaseUnavailableError} */
  readonly update = oneAtATime(() => this.#listAll());

  constructor({ database, log }: { database: Database; log: Logger }) {
    this.#database = database;
    this.#task = new BackgroundTask({
      round: () => this.update(),
      pauseMs: LISTING_INTERVAL_MS,
      onError: (error, isFirst) => {
        // Read it again, because the failed transaction may have been committed.
        this.#listedTo = null;
        if (isFirst) log.warn('delivery history could not be indexed; reading it is slower', { error });
      },
    });
  }

  /** Starts the background task. */
  start(): void {
    this.#task.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  async #listAll(): Promise<void> {
    const { reader } = this.#database;
    while (!this.#task.signal.aborted) {
      this.#listedTo ??= await readListedTo(reader);
      const from = this.#listedTo;
      // The read is outside the transaction: an empty transaction would wait for its turn twice a second.
      const next = await readNextListed(reader, from, LISTED_TOGETHER);
      if (next === null) return;
      const { to, isAll } = next;
      await this.#database.transaction((tx) => listDeliveries(tx, { from, to }), { durability: 'deferred' });
      this.#listedTo = to;
      if (isAll) return;
      await this.#task.pause(STEP_PAUSE_MS);
    }
  }
}
