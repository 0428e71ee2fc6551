import { type Database, DatabaseLostError, type DatabaseUnavailableError } from '../database/database.ts';
import { BackgroundTask } from '../time/background-task.ts';
import type { Logger } from './log.ts';
import { OutageLog } from './outage-log.ts';

/** How often a change is tried during an outage. Without traffic, nothing else would show that it is over. */
const TRY_EVERY_MS = 2_000;

/** Dependencies of {@link DatabaseWatch}. */
export interface DatabaseWatchDependencies {
  database: Database;
  /** Makes a small change to the database that has no effect. */
  tryChange: () => Promise<unknown>;
  log: Logger;
  /** Called, perhaps more than once, when only a restart can help. */
  onLost: (error: DatabaseLostError) => void;
}

/**
 * Watches whether the database accepts changes. Logs the start of an outage, a line a minute while it lasts, and its
 * end, however many requests fail in the meantime.
 */
export class DatabaseWatch implements AsyncDisposable {
  readonly #with: DatabaseWatchDependencies;
  readonly #probe = new BackgroundTask({
    round: async (signal) => {
      if (this.#refusal === null) return Number.POSITIVE_INFINITY;
      await this.#probe.pause(TRY_EVERY_MS);
      if (this.#refusal !== null && !signal.aborted) await this.#with.tryChange();
      return 0;
    },
    pauseMs: 0,
    // A failed change is reported through `onOutcome`.
    onError: () => {},
  });
  readonly #outages: OutageLog;
  #refusal: DatabaseUnavailableError | null = null;

  constructor(dependencies: DatabaseWatchDependencies) {
    this.#with = dependencies;
    this.#outages = new OutageLog(dependencies.log);
    dependencies.database.onOutcome((refusal) => {
      if (refusal === null) this.#ended();
      else this.#refused(refusal);
    });
    this.#probe.start();
  }

  /**
   * For readiness: resolves if the database responds and accepted the latest change.
   * @throws {DatabaseUnavailableError}
   */
  async check(): Promise<void> {
    await this.#with.database.ping();
    if (this.#refusal !== null) throw this.#refusal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#probe[Symbol.asyncDispose]();
  }

  #refused(error: DatabaseUnavailableError): void {
    const isFirst = this.#refusal === null;
    this.#refusal = error;
    if (isFirst) this.#probe.wake();
    const texts = {
      begins: 'the database is failing: affected requests get 503 until it recovers',
      goesOn: 'the database is still failing',
    };
    this.#outages.failed(texts, { error });
    if (error instanceof DatabaseLostError) this.#with.onLost(error);
  }

  #ended(): void {
    if (this.#refusal === null) return;
    this.#refusal = null;
    this.#outages.ended('the database works again');
  }
}
