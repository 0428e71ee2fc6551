import type { Database, DatabaseUnavailableError } from '../database/database.ts';
import { BackgroundTask } from '../time/background-task.ts';
import type { Logger } from './log.ts';

/** How often a change is tried during an outage. Without traffic, nothing else would show that it is over. */
const TRY_EVERY_MS = 2_000;
/** How often a continuing outage is logged. */
const LOG_EVERY_MS = 60_000;

/** Dependencies of {@link DatabaseWatch}. */
export interface DatabaseWatchDependencies {
  database: Database;
  /** Makes a small change to the database that has no effect. */
  tryChange: () => Promise<unknown>;
  log: Logger;
}

/**
 * Watches whether the database accepts changes. Logs the start of an outage, a line a minute while it lasts, and its
 * end, however many requests fail in the meantime.
 */
export class DatabaseWatch implements AsyncDisposable {
  readonly #with: DatabaseWatchDependencies;
  readonly #probe = new BackgroundTask({
    round: async (signal) => {
      if (this.#outage === null) return Number.POSITIVE_INFINITY;
      await this.#probe.pause(TRY_EVERY_MS);
      if (this.#outage !== null && !signal.aborted) await this.#with.tryChange();
      return 0;
    },
    pauseMs: 0,
    // A failed change is reported through `onOutcome`.
    onError: () => {},
  });
  #outage: { error: DatabaseUnavailableError; since: number; refused: number; loggedAt: number } | null =
    null;

  constructor(dependencies: DatabaseWatchDependencies) {
    this.#with = dependencies;
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
    if (this.#outage !== null) throw this.#outage.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#probe[Symbol.asyncDispose]();
  }

  #refused(error: DatabaseUnavailableError): void {
    const now = performance.now();
    if (this.#outage === null) {
      this.#outage = { error, since: now, refused: 1, loggedAt: now };
      this.#with.log.error('the database fails: affected requests get 503 until it recovers', {
        error,
      });
      this.#probe.wake();
      return;
    }
    this.#outage.error = error;
    this.#outage.refused += 1;
    if (now - this.#outage.loggedAt < LOG_EVERY_MS) return;
    this.#outage.loggedAt = now;
    this.#with.log.error('the database still fails', { error, ...countsOf(this.#outage, now) });
  }

  #ended(): void {
    if (this.#outage === null) return;
    this.#with.log.info('the database works again', countsOf(this.#outage, performance.now()));
    this.#outage = null;
  }
}

function countsOf({ since, refused }: { since: number; refused: number }, now: number) {
  return { refused, duration_ms: Math.round(now - since) };
}
