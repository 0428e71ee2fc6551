/** A clock that stands still until it is told to go on. */
export class ManualClock {
  #now: number;

  constructor(startsAt = Date.UTC(2030, 0, 1)) {
    this.#now = startsAt;
  }

  /** Epoch milliseconds; may be handed on by itself. */
  readonly now = (): number => this.#now;

  pass(ms: number): void {
    this.#now += ms;
  }
}
