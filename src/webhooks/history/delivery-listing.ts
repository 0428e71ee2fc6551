import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { listDeliveries, readListedTo, readNextListed } from './delivery-listing-store.ts';

/** Deliveries that came within this time are looked through when a list is read: a few thousand rows. */
const LISTING_INTERVAL_MS = 500;
/** Deliveries of one transaction: 2 to 4 ms of the database's time at 100 webhooks, 20 at 10,000. */
const LISTED_TOGETHER = 2_048;
/** Between two such transactions deliveries and events have the database to themselves. */
const STEP_PAUSE_MS = 25;

/**
 * Lists each webhook's deliveries, many at a time and behind the deliveries themselves. A list kept by every delivery would
 * have each write a page of its webhook's list, a twelfth of all time at 100 webhooks. Whoever reads a list looks through
 * what is not listed yet, so no delivery is ever missing from it, and one that a killed process had not listed is
 * listed by the next. For SQLite, where nobody else delivers from the file.
 */
export class DeliveryListing implements AsyncDisposable {
  readonly #database: Database;
  readonly #task: BackgroundTask;
  #listedTo: number | null = null;
  #listing: Promise<void> | null = null;
  #failing = false;

  constructor({ database, log }: { database: Database; log: Logger }) {
    this.#database = database;
    this.#task = new BackgroundTask({
      round: async () => {
        await this.list();
        this.#failing = false;
      },
      pauseMs: LISTING_INTERVAL_MS,
      onError: (error) => {
        // Read again: whatever failed may have changed where the lists end.
        this.#listedTo = null;
        if (!this.#failing)
          log.warn('delivery history could not be indexed; reading it is slower', { error });
        this.#failing = true;
      },
    });
  }

  /** Starts the background task. */
  start(): void {
    this.#task.start();
  }

  /** Lists what there is. @throws {DatabaseUnavailableError} */
  async list(): Promise<void> {
    this.#listing ??= this.#listAll().finally(() => {
      this.#listing = null;
    });
    await this.#listing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  async #listAll(): Promise<void> {
    const { reader } = this.#database;
    while (!this.#task.signal.aborted) {
      this.#listedTo ??= await readListedTo(reader);
      const from = this.#listedTo;
      // Looked for outside: a transaction for nothing would wait its turn twice a second.
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
