import { BackgroundTask } from '../../time/background-task.ts';
import type { DatabaseClock } from '../database.ts';

/** How often the time of the server is read. In between, the monotonic clock of this process is used. */
const ASK_EVERY_MS = 10_000;
/** Number of requests at the start. The fastest response gives the most accurate time. */
const FIRST_SAMPLES = 3;

/**
 * The server's clock, as estimated by this process. All instances of a database share it. So they agree about leases
 * and due times, even if the clocks of their machines are wrong.
 */
export class PostgresClock implements DatabaseClock, AsyncDisposable {
  readonly #ask: () => Promise<number>;
  readonly #task = new BackgroundTask({
    round: () => this.synchronize(),
    firstPauseMs: ASK_EVERY_MS,
    pauseMs: ASK_EVERY_MS,
    // An outage of the database is logged elsewhere.
    onError: () => {},
  });
  readonly #listeners: ((aheadMs: number) => void)[] = [];
  /** The server's time at the start of this process; null while unknown. */
  #base: number | null = null;

  /** @param ask reads the server's time, in epoch milliseconds. */
  constructor(ask: () => Promise<number>) {
    this.#ask = ask;
    this.#task.start();
  }

  /** Epoch milliseconds; this machine's clock until the server's first response. */
  now(): number {
    return this.#base === null ? Date.now() : Math.round(this.#base + performance.now());
  }

  onMeasured(listener: (aheadMs: number) => void): void {
    this.#listeners.push(listener);
    if (this.#base !== null) listener(Date.now() - this.now());
  }

  /** Asks the server for its time. Throws what `ask` throws; the clock is then unchanged. */
  async synchronize(): Promise<void> {
    const samples = this.#base === null ? FIRST_SAMPLES : 1;
    for (let sample = 0; sample < samples; sample++) await this.#sample();
    this.#report();
  }

  /**
   * The server read its clock between request and response, so the estimate moves only as far as that interval
   * requires.
   */
  async #sample(): Promise<void> {
    const askedAt = performance.now();
    const serverTime = await this.#ask();
    const receivedAt = performance.now();
    const [earliest, latest] = [serverTime - receivedAt, serverTime - askedAt];
    this.#base = Math.min(Math.max(this.#base ?? (earliest + latest) / 2, earliest), latest);
  }

  #report(): void {
    const aheadMs = Date.now() - this.now();
    for (const listener of this.#listeners) listener(aheadMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }
}
