/** A clock that moves only when a test advances it. */
export class ManualClock {
  #now: number;

  constructor(startsAt = Date.UTC(2030, 0, 1)) {
    this.#now = startsAt;
  }

  /** Epoch milliseconds; can be passed on without its object. */
  readonly now = (): number => this.#now;

  pass(ms: number): void {
    this.#now += ms;
  }
}

/** A clock that runs as the machine's does, ahead of it by as much as a test says. */
export class RunningClock {
  /** Below 0 if the clock is behind. */
  aheadMs = 0;

  /** Epoch milliseconds; can be passed on without its object. */
  readonly now = (): number => Date.now() + this.aheadMs;
}
