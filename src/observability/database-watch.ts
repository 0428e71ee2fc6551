import { type Database, DatabaseLostError, type DatabaseUnavailableError } from '../database/database.ts';
import { BackgroundTask } from '../time/background-task.ts';
import type { Logger } from './log.ts';
import { OutageLog } from './outage-log.ts';

/** How often a change is tried during an outage. Without traffic, nothing else would show that it is over. */
const TRY_EVERY_MS = 2_000;
/** The log ends an outage once nothing was refused for this long. Some requests may succeed during an outage. */
const QUIET_MS = 10_000;
/**
 * If an outage returns soon after its end, the quiet time becomes longer, up to a maximum. Otherwise, something that fails
 * regularly, such as a read at each scrape of the metrics, would begin and end an outage each time.
 */
const QUIET_FACTOR = 4;
const LONGEST_QUIET_MS = 300_000;
const RETURNS_WITHIN_MS = 300_000;

/** Dependencies of {@link DatabaseWatch}. */
export interface DatabaseWatchDependencies {
  database: Database;
  /** Makes a small change to the database that has no effect. */
  tryChange: () => Promise<unknown>;
  log: Logger;
  /** Called, perhaps more than once, when only a restart can help. */
  onLost: (error: DatabaseLostError) => void;
  /** How long nothing may be refused until the log ends a first outage, in milliseconds. @defaultValue 10 s */
  quietMs?: number;
  /** How often a change is tried during an outage, in milliseconds. @defaultValue 2 s */
  tryEveryMs?: number;
}

/**
 * Watches whether the database works. Logs the start of an outage, a line a minute while it lasts, and its end, however
 * many requests fail or succeed in the meantime.
 */
export class DatabaseWatch implements AsyncDisposable {
  readonly #with: DatabaseWatchDependencies;
  readonly #probe = new BackgroundTask({
    round: async (signal) => {
      if (this.#refusedAt === null) return Number.POSITIVE_INFINITY;
      await this.#probe.pause(this.#with.tryEveryMs ?? TRY_EVERY_MS);
      if (signal.aborted) return 0;
      const isQuiet = this.#isQuiet();
      if (this.#refusal !== null || isQuiet) await this.#with.tryChange();
      if (isQuiet) await this.#endIfQuiet();
      return 0;
    },
    pauseMs: 0,
    // A failed change is reported through `onOutcome`.
    onError: () => {},
  });
  readonly #outages: OutageLog;
  readonly #lostSignals: OutageLog;
  /** The refusal of the latest change; null if it was accepted. */
  #refusal: DatabaseUnavailableError | null = null;
  /** When something was refused last, by `performance.now`; null outside of an outage. */
  #refusedAt: number | null = null;
  /** When the last outage ended, by `performance.now`. */
  #endedAt = Number.NEGATIVE_INFINITY;
  #quietMs = 0;

  constructor(dependencies: DatabaseWatchDependencies) {
    this.#with = dependencies;
    this.#outages = new OutageLog(dependencies.log);
    this.#lostSignals = new OutageLog(dependencies.log);
    dependencies.database.onOutcome((refusal, use) => {
      if (use === 'change') this.#refusal = refusal;
      if (refusal !== null) this.#refused(refusal);
    });
    dependencies.database.onReceivingSignals((failure) => {
      const begins =
        'no signals of other instances are received: their messages wait for up to a second, until a connection is free';
      const continues = 'still no signals of other instances are received';
      if (failure === null) this.#lostSignals.ended('signals of other instances are received again');
      else this.#lostSignals.failed({ begins, continues }, { error: failure });
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
    const isFirst = this.#refusedAt === null;
    this.#refusedAt = performance.now();
    if (isFirst) {
      const returns = this.#refusedAt - this.#endedAt < RETURNS_WITHIN_MS;
      const longer = Math.min(this.#quietMs * QUIET_FACTOR, LONGEST_QUIET_MS);
      this.#quietMs = returns ? longer : (this.#with.quietMs ?? QUIET_MS);
      this.#probe.wake();
    }
    const texts = {
      begins: 'the database is failing: affected requests get 503 until it recovers',
      continues: 'the database is still failing',
    };
    this.#outages.failed(texts, { error });
    if (error instanceof DatabaseLostError) this.#with.onLost(error);
  }

  #isQuiet(): boolean {
    return this.#refusedAt !== null && performance.now() - this.#refusedAt >= this.#quietMs;
  }

  /** Ends the outage if the database responds, and has refused nothing in the meantime. */
  async #endIfQuiet(): Promise<void> {
    await this.#with.database.ping();
    const at = this.#refusedAt;
    if (at === null || this.#refusal !== null || !this.#isQuiet()) return;
    this.#refusedAt = null;
    this.#endedAt = performance.now();
    this.#outages.ended('the database works again', at);
  }
}
