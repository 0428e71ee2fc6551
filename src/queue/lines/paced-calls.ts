/**
 * Calls of a listener that pass at once, but for those within a pause: they come as one call when it is over. Pauses are
 * the caller's to make, each when the last call turned out to have been for nothing.
 */
export class PacedCalls {
  readonly #pauseMs: number;
  #pausedUntil = 0;
  readonly #waiting = new Set<() => void>();

  /** @param pauseMs 0: there are no pauses. */
  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** Lets no call pass for a while. */
  pause(): void {
    if (this.#pauseMs > 0) this.#pausedUntil = performance.now() + this.#pauseMs;
  }

  call(listener: () => void): void {
    if (this.#waiting.has(listener)) return;
    const wait = this.#pausedUntil - performance.now();
    if (wait <= 0) {
      listener();
      return;
    }
    this.#waiting.add(listener);
    setTimeout(() => {
      this.#waiting.delete(listener);
      // There may have been another pause by now.
      this.call(listener);
    }, wait);
  }
}
