/** How long a reading is kept. */
const KEPT_MS = 1_000;
/** How many times longer a reading is kept than it took: at most a twentieth of the time is spent on reading. */
const KEPT_PER_COST = 20;

/** A cached reading that all callers share. */
export class CachedReading<T> {
  readonly #read: () => Promise<T>;
  /** Milliseconds of a clock that only goes forward. */
  readonly #clock: () => number;
  #kept: { value: T; until: number } | null = null;
  #reading: Promise<T> | null = null;

  constructor(read: () => Promise<T>, clock: () => number = () => performance.now()) {
    this.#read = read;
    this.#clock = clock;
  }

  /** The reading, at most a second old, or older if it is expensive. */
  async get(): Promise<T> {
    if (this.#kept !== null && this.#clock() < this.#kept.until) return this.#kept.value;
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = null;
    });
    return await this.#reading;
  }

  async #refresh(): Promise<T> {
    const begun = this.#clock();
    const value = await this.#read();
    const ended = this.#clock();
    this.#kept = { value, until: ended + Math.max(KEPT_MS, KEPT_PER_COST * (ended - begun)) };
    return value;
  }
}
