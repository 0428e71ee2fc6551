import type { Reader, Transaction } from '../../../database/database.ts';
import { SECOND_MS } from '../../../time/units.ts';
import { lastFollowed, selectConsistentThrough, selectEarliestStoring } from './statement-times-store.ts';

/** A statement that is stored further ahead of the clock shows that it was set back. Many at once are ahead of it by less. */
const SET_BACK_MS = 2 * SECOND_MS;

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

  /** The time of what a statement says, if it has none: when it was stored, or by the clock if that was set back. */
  defaultTimestamp(storedAt: number): number {
    const now = this.#now();
    return storedAt > now + SET_BACK_MS ? now : storedAt;
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
