import type { TimeSlices } from '../../time/time-slices.ts';

/** Rows that run between two checks of the time. */
const ROWS_BETWEEN_CHECKS = 50;

/**
 * Runs the statements of a transaction in the order of the calls, each at once while the time slice lasts. A
 * statement for many rows is divided. Statements that are called in the meantime wait until it is complete.
 */
export class StatementTurns {
  readonly #slices: TimeSlices;
  readonly #assertOpen: () => void;
  /** Resolves when the last waiting statement is done; null if none is waiting. */
  #last: Promise<void> | null = null;

  /**
   * @param assertOpen throws if the transaction has ended; called before each part of a statement that waits or is divided
   */
  constructor(slices: TimeSlices, assertOpen: () => void) {
    this.#slices = slices;
    this.#assertOpen = assertOpen;
  }

  /** Runs a statement in one part. */
  run<T>(statement: () => T): T | Promise<T> {
    if (this.#last === null && !this.#slices.isUsedUp) return statement();
    return this.#behindOthers(async () => {
      await this.#waitForTurn();
      return statement();
    });
  }

  /** Runs a statement for rows, in several parts. */
  runForRows<Row>(rows: readonly Row[], statement: (some: readonly Row[]) => void): void | Promise<void> {
    if (rows.length <= ROWS_BETWEEN_CHECKS) return this.run(() => statement(rows));
    return this.#behindOthers(async () => {
      for (let from = 0; from < rows.length; from += ROWS_BETWEEN_CHECKS) {
        await this.#waitForTurn();
        statement(rows.slice(from, from + ROWS_BETWEEN_CHECKS));
      }
    });
  }

  /** Resolves when all called statements are done. Never rejects. */
  async settled(): Promise<void> {
    while (this.#last !== null) await this.#last;
  }

  /** Waits if the time slice is used up. Throws if SQLite has undone the transaction in the meantime. */
  async #waitForTurn(): Promise<void> {
    if (this.#slices.isUsedUp) await this.#slices.next();
    this.#assertOpen();
  }

  async #behindOthers<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const result = before === null ? work() : before.then(work);
    const done = result.then(
      () => {},
      () => {},
    );
    this.#last = done;
    void done.then(() => {
      if (this.#last === done) this.#last = null;
    });
    return await result;
  }
}
