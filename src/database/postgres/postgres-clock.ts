import type { DatabaseClock } from '../database.ts';

/** How often the server is asked for its time. Between two answers this process counts on by itself. */
const ASK_EVERY_MS = 10_000;
/** How often the server is asked at first: the quickest answer is the most exact. */
const FIRST_SAMPLES = 3;

/**
 * The server's clock as this process knows it. All instances of a database share it, so that leases and due times mean
 * the same to each, however wrong the clocks of their machines are.
 */
export class PostgresClock implements DatabaseClock, Disposable {
  readonly #ask: () => Promise<number>;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners: ((aheadMs: number) => void)[] = [];
  /** The server's time when this process had been running for zero milliseconds; null while unknown. */
  #base: number | null = null;

  /** @param ask reads the server's time, in epoch milliseconds. */
  constructor(ask: () => Promise<number>) {
    this.#ask = ask;
    this.#timer = setInterval(() => void this.synchronize().catch(() => {}), ASK_EVERY_MS);
    this.#timer.unref();
  }

  /** Epoch milliseconds; this machine's while the server has never answered. */
  now(): number {
    return this.#base === null ? Date.now() : Math.round(this.#base + performance.now());
  }

  onMeasured(listener: (aheadMs: number) => void): void {
    this.#listeners.push(listener);
    if (this.#base !== null) listener(Date.now() - this.now());
  }

  /** Asks the server. Errors are those of `ask`; the clock then goes on as before. */
  async synchronize(): Promise<void> {
    const samples = this.#base === null ? FIRST_SAMPLES : 1;
    for (let sample = 0; sample < samples; sample++) await this.#sample();
    this.#report();
  }

  /** The server read its clock between question and answer: the clock moves only as far as it must to agree with that. */
  async #sample(): Promise<void> {
    const askedAt = performance.now();
    const serverTime = await this.#ask();
    const answeredAt = performance.now();
    const [earliest, latest] = [serverTime - answeredAt, serverTime - askedAt];
    this.#base = Math.min(Math.max(this.#base ?? (earliest + latest) / 2, earliest), latest);
  }

  #report(): void {
    const aheadMs = Date.now() - this.now();
    for (const listener of this.#listeners) listener(aheadMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
