/**
 * Limits the number of concurrent jobs. Callers take turns, each with its next job, first come, first served. By
 * default, one caller never has all slots, so the next caller always finds one free.
 */
export class FairSlots {
  readonly #perCaller: number;
  #free: number;
  readonly #running = new Map<string, number>();
  /** By caller; the first one has the next turn. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /**
   * @param count total number of slots
   * @param perCaller maximum number of slots of a caller
   */
  constructor(count: number, perCaller: number = Math.max(1, count - 1)) {
    this.#free = count;
    this.#perCaller = perCaller;
  }

  /** Resolves with a slot when it is the caller's turn. Without a name, all callers are one. @throws the reason of `signal` */
  async take(signal: AbortSignal, caller = ''): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#mayRun(caller)) this.#begin(caller);
    else await this.#wait(caller, signal);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#end(caller);
        isTaken = false;
      },
    };
  }

  #mayRun(caller: string): boolean {
    return this.#free > 0 && (this.#running.get(caller) ?? 0) < this.#perCaller;
  }

  #begin(caller: string): void {
    this.#free -= 1;
    this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1);
  }

  #end(caller: string): void {
    this.#free += 1;
    const left = (this.#running.get(caller) ?? 0) - 1;
    if (left > 0) this.#running.set(caller, left);
    else this.#running.delete(caller);
    for (const [next, jobs] of this.#waiting) {
      if (!this.#mayRun(next)) continue;
      const [proceed] = jobs;
      jobs.delete(proceed!);
      // Moved to the end, so that the other callers come first.
      this.#waiting.delete(next);
      if (jobs.size > 0) this.#waiting.set(next, jobs);
      this.#begin(next);
      proceed!();
      return;
    }
  }

  #wait(caller: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const jobs = this.#waiting.get(caller) ?? new Set();
      this.#waiting.set(caller, jobs);
      const proceed = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        jobs.delete(proceed);
        if (jobs.size === 0 && this.#waiting.get(caller) === jobs) this.#waiting.delete(caller);
        reject(signal.reason);
      };
      jobs.add(proceed);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
