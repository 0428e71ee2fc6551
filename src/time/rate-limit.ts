/** How often each may do something: `burst` times at once, then once per `refillMs`. */
export interface Rate {
  burst: number;
  refillMs: number;
}

/** Counts in memory how often each of many does something. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #now: () => number;
  /** When each may have the whole burst again; if it is missing, now. The one that was counted last comes last. */
  readonly #fullAt = new Map<string, number>();

  /** @param now in milliseconds; a monotonic clock by default */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** How long until the next time is allowed, in milliseconds. 0 if it is allowed now. */
  waitMs(name: string): number {
    const { burst, refillMs } = this.#rate;
    const now = this.#now();
    const fullAt = Math.max(now, this.#fullAt.get(name) ?? now);
    return Math.max(0, fullAt + refillMs - (now + burst * refillMs));
  }

  /** Counts a time, whether or not it was allowed. */
  count(name: string): void {
    const now = this.#now();
    const fullAt = Math.max(now, this.#fullAt.get(name) ?? now) + this.#rate.refillMs;
    this.#fullAt.delete(name);
    this.#fullAt.set(name, fullAt);
    this.#forgetFull(now);
  }

  /** The number of those who are remembered, for tests. */
  get size(): number {
    return this.#fullAt.size;
  }

  #forgetFull(now: number): void {
    for (const [name, fullAt] of this.#fullAt) {
      if (fullAt > now) return;
      this.#fullAt.delete(name);
    }
  }
}
