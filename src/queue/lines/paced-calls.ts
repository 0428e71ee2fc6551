/**
 * Throttles a listener: calls go through immediately, except during a pause, after which they become one call. The
 * caller starts a pause when the last call was unnecessary.
 */
export class PacedCalls {
  readonly #pauseMs: number;
  #pausedUntil = 0;
  readonly #waiting = new Set<() => void>();

  /** @param pauseMs the duration of a pause; 0 for none */
  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** Starts a pause. */
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
      // Another pause may have started by now.
      this.call(listener);
    }, wait);
  }
}
