/** After this long a request counts as slow. */
const SLOW_AFTER_MS = 2_000;
/** How often requests are looked at for having become slow, in milliseconds. */
export const SWEEP_INTERVAL_MS = 250;
/** Slow requests that may be out at a time, for each one that is not. */
const SLOW_SHARE = 16;

/** A request's place. */
export interface Slot {
  readonly takenAt: number;
  slow: boolean;
}

/**
 * Bounds the requests in flight. Those that take long (a target that hangs until the deadline) are counted
 * apart and generously: a waiting request costs a socket and some memory, while a slot that it kept from the
 * others would make one bad target slow down all.
 */
export class DeliverySlots {
  readonly #quickLimit: number;
  readonly #totalLimit: number;
  readonly #now: () => number;
  /** In the order they were taken, so that a sweep stops at the first young one. */
  readonly #quick = new Set<Slot>();
  #slow = 0;
  #sweptAt = 0;

  constructor({ quickLimit, now }: { quickLimit: number; now: () => number }) {
    this.#quickLimit = quickLimit;
    this.#totalLimit = quickLimit * (1 + SLOW_SHARE);
    this.#now = now;
  }

  /** Requests that are out. */
  get taken(): number {
    return this.#quick.size + this.#slow;
  }

  /** How many more may go out now. */
  free(): number {
    this.#sweep();
    return Math.max(0, Math.min(this.#quickLimit - this.#quick.size, this.#totalLimit - this.taken));
  }

  take(): Slot {
    const slot = { takenAt: this.#now(), slow: false };
    this.#quick.add(slot);
    return slot;
  }

  give(slot: Slot): void {
    if (slot.slow) this.#slow -= 1;
    else this.#quick.delete(slot);
  }

  #sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAt < SWEEP_INTERVAL_MS) return;
    this.#sweptAt = now;
    for (const slot of this.#quick) {
      if (now - slot.takenAt < SLOW_AFTER_MS) return;
      this.#quick.delete(slot);
      slot.slow = true;
      this.#slow += 1;
    }
  }
}
