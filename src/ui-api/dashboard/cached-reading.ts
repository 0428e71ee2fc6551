import { oneAtATime } from '../../one-at-a-time.ts';

/** How long a reading is kept. */
const KEPT_MS = 1_000;
/** How many times longer a reading is kept than it took: at most a twentieth of the time is spent on reading. */
const KEPT_PER_COST = 20;

/** A cached reading that all callers share. */
export class CachedReading<T> {
  /** Milliseconds of a clock that only goes forward. */
  readonly #clock: () => number;
  readonly #refresh: () => Promise<T>;
  #kept: { value: T; until: number } | null = null;

  constructor(read: () => Promise<T>, clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#refresh = oneAtATime(() => this.#readNow(read));
  }

  /** The reading, at most a second old, or older if it is expensive. */
  async get(): Promise<T> {
    if (this.#kept !== null && this.#clock() < this.#kept.until) return this.#kept.value;
    return await this.#refresh();
  }

  async #readNow(read: () => Promise<T>): Promise<T> {
    const begun = this.#clock();
    const value = await read();
    const ended = this.#clock();
    this.#kept = { value, until: ended + Math.max(KEPT_MS, KEPT_PER_COST * (ended - begun)) };
    return value;
  }
}
