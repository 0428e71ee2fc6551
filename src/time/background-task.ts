import { setTimeout as delay } from 'node:timers/promises';

/** What a background task does, and how often. */
export interface BackgroundTaskOptions {
  /**
   * Does the work once. May answer how long to pause before the next round, in milliseconds.
   * @param signal is aborted when the task ends
   */
  round(signal: AbortSignal): Promise<number | undefined> | Promise<void>;
  /** The pause after a round that answers none, or that fails: in milliseconds. */
  pauseMs: number | (() => number);
  /** The pause before the first round, in milliseconds. @defaultValue 0 */
  firstPauseMs?: number;
  /** Called with the error of a round that failed, unless the task has ended. */
  onError(error: unknown): void;
}

/** Does its work again and again, one round at a time. Disposing of it ends it and waits for the round under way. */
export class BackgroundTask implements AsyncDisposable {
  readonly #options: BackgroundTaskOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;
  #isWoken = false;
  #endPause: AbortController | null = null;

  constructor(options: BackgroundTaskOptions) {
    this.#options = options;
  }

  /** Aborted when the task ends. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Begins; a second call does nothing. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Begins the next round without a pause; of a round under way, the one after it. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause?.abort();
  }

  /** Begins no further round. */
  end(): void {
    this.#stop.abort();
    this.wake();
  }

  /** Waits within a round; shorter when the task ends. */
  async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pauseMs = this.#options.firstPauseMs ?? 0;
    while (!this.signal.aborted) {
      if (pauseMs > 0 && !this.#isWoken) await this.#rest(pauseMs);
      this.#isWoken = false;
      if (!this.signal.aborted) pauseMs = await this.#round();
    }
  }

  async #round(): Promise<number> {
    const { round, pauseMs, onError } = this.#options;
    let answered: number | undefined;
    try {
      answered = (await round(this.signal)) ?? undefined;
    } catch (error) {
      if (!this.signal.aborted) onError(error);
    }
    return answered ?? (typeof pauseMs === 'number' ? pauseMs : pauseMs());
  }

  async #rest(ms: number): Promise<void> {
    this.#endPause = new AbortController();
    await delay(ms, undefined, { signal: this.#endPause.signal }).catch(() => undefined);
    this.#endPause = null;
  }
}
