import { setTimeout as delay } from 'node:timers/promises';
import { WakeablePause } from './wakeable-pause.ts';

/** What a background task does, and how often. */
export interface BackgroundTaskOptions {
  /**
   * Does the work once. May return how long to pause before the next round, in milliseconds; `Infinity` pauses until
   * `wake` is called.
   * @param signal is aborted when the task ends
   */
  round(signal: AbortSignal): Promise<number | undefined> | Promise<void>;
  /** The pause after a round that returns none or fails, in milliseconds. */
  pauseMs: number | (() => number);
  /** The pause before the first round, in milliseconds. @defaultValue 0 */
  firstPauseMs?: number;
  /**
   * Called with the error of a round that failed, unless the task has ended.
   * @param isFirst whether the round before it did not fail
   */
  onError(error: unknown, isFirst: boolean): void;
}

/** Repeats its work, one round at a time. Disposing of it ends it and waits for the round in progress. */
export class BackgroundTask implements AsyncDisposable {
  readonly #options: BackgroundTaskOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;
  #isFailing = false;
  readonly #pause = new WakeablePause();

  constructor(options: BackgroundTaskOptions) {
    this.#options = options;
  }

  /** Aborted when the task ends. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Starts the task. A second call does nothing. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the pause. If a round is in progress, the next one follows it without a pause. */
  wake(): void {
    this.#pause.wake();
  }

  /** Starts no further round. */
  end(): void {
    this.#stop.abort();
    this.wake();
  }

  /** Waits within a round, or until the task ends. */
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
      if (pauseMs > 0) await this.#pause.rest(pauseMs);
      else this.#pause.forget();
      if (!this.signal.aborted) pauseMs = await this.#round();
    }
  }

  async #round(): Promise<number> {
    const { round, pauseMs, onError } = this.#options;
    let next: number | undefined;
    try {
      next = (await round(this.signal)) ?? undefined;
      this.#isFailing = false;
    } catch (error) {
      const isFirst = !this.#isFailing;
      this.#isFailing = true;
      if (!this.signal.aborted) onError(error, isFirst);
    }
    return next ?? (typeof pauseMs === 'number' ? pauseMs : pauseMs());
  }
}
