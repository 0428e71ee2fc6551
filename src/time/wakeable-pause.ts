/** A pause that can be ended early. A wake-up between two pauses ends the next one at once. */
export class WakeablePause {
  #isWoken = false;
  #end: (() => void) | null = null;

  /** Ends the current pause, or the next one. */
  wake(): void {
    this.#isWoken = true;
    this.#end?.();
  }

  /** Waits for `ms` milliseconds, or until `wake` is called. `Infinity` waits for `wake` alone. */
  async rest(ms: number): Promise<void> {
    if (!this.#isWoken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#end = resolve;
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
      this.#end = null;
    }
    this.forget();
  }

  /** Forgets an earlier wake-up, so that the next pause is not ended by it. */
  forget(): void {
    this.#isWoken = false;
  }
}
