import type { Database, DatabaseUnavailableError } from '../database/database.ts';
import type { Logger } from './log.ts';

/** How often a change is tried while the latest was refused: without traffic nothing else would show that it is over. */
const TRY_EVERY_MS = 2_000;
/** How often an outage that goes on is logged. */
const LOG_EVERY_MS = 60_000;

/**
 * Watches whether the database does what it is asked. Logs a line when it begins to refuse, one a minute while
 * it does, and one when it takes changes again, however many requests are refused in the meantime.
 */
export class DatabaseWatch implements AsyncDisposable {
  readonly #database: Database;
  readonly #tryChange: () => Promise<unknown>;
  readonly #log: Logger;
  #outage: { error: DatabaseUnavailableError; since: number; refused: number; loggedAt: number } | null =
    null;
  #timer: NodeJS.Timeout | null = null;
  #trying: Promise<unknown> | null = null;
  #closed = false;

  /** @param tryChange makes a small change to the database, one without meaning. */
  constructor({
    database,
    tryChange,
    log,
  }: { database: Database; tryChange: () => Promise<unknown>; log: Logger }) {
    this.#database = database;
    this.#tryChange = tryChange;
    this.#log = log;
    database.onOutcome((refusal) => {
      if (refusal === null) this.#ended();
      else this.#refused(refusal);
    });
  }

  /**
   * For readiness: resolves when the database answers and took the latest change.
   * @throws {DatabaseUnavailableError}
   */
  async check(): Promise<void> {
    await this.#database.ping();
    if (this.#outage !== null) throw this.#outage.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#stopTrying();
    await this.#trying;
  }

  #refused(error: DatabaseUnavailableError): void {
    const now = performance.now();
    if (this.#outage === null) {
      this.#outage = { error, since: now, refused: 1, loggedAt: now };
      this.#log.error('the database fails: affected requests get 503 until it recovers', {
        error,
      });
      if (!this.#closed) this.#timer ??= setInterval(() => this.#try(), TRY_EVERY_MS).unref();
      return;
    }
    this.#outage.error = error;
    this.#outage.refused += 1;
    if (now - this.#outage.loggedAt < LOG_EVERY_MS) return;
    this.#outage.loggedAt = now;
    this.#log.error('the database still fails', { error, ...countsOf(this.#outage, now) });
  }

  #ended(): void {
    if (this.#outage === null) return;
    this.#log.info('the database works again', countsOf(this.#outage, performance.now()));
    this.#outage = null;
    this.#stopTrying();
  }

  #stopTrying(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #try(): void {
    this.#trying ??= this.#tryChange()
      .catch(() => {})
      .finally(() => {
        this.#trying = null;
      });
  }
}

function countsOf({ since, refused }: { since: number; refused: number }, now: number) {
  return { refused, duration_ms: Math.round(now - since) };
}
