import type { Reader, Transaction } from '../../database/database.ts';
import { lastFollowed, selectConsistentThrough, selectEarliestStoring } from './statement-store.ts';

/**
 * The `stored` times of statements. Readers poll with the time that was announced to them, so no later statement may get
 * that time or an earlier one, even if the clock was set back (docs/decisions/0023-learning-records.md).
 */
export class StatementTimes {
  readonly #reader: Reader;
  readonly #now: () => number;
  #announced = 0;

  constructor({ reader, now }: { reader: Reader; now: () => number }) {
    this.#reader = reader;
    this.#now = now;
  }

  /** The time by the clock, in epoch milliseconds. */
  now(): number {
    return this.#now();
  }

  /** The time, in epoch milliseconds, at which the open transaction stores its statements. */
  async next(tx: Transaction): Promise<number> {
    const now = this.#now();
    const announced = this.#announced > lastFollowed(now) ? 0 : this.#announced;
    return Math.max(now, await selectEarliestStoring(tx, now), announced + 1);
  }

  /** The time, in epoch milliseconds, up to which every stored statement is visible, and that no later one gets. */
  async consistentThrough(): Promise<number> {
    const through = await selectConsistentThrough(this.#reader, this.#now());
    this.#announced = Math.max(this.#announced, through);
    return through;
  }
}
