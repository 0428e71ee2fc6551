import { SECOND_MS } from '../time/units.ts';
import type { Logger } from './log.ts';

/** Time between two checks of the event loop, in milliseconds. */
const CHECK_EVERY_MS = 20;
const US_PER_MS = 1_000;
/** Seconds whose longest stalls are remembered: longer than scrapes of the metrics are usually apart. */
const REMEMBERED_SECONDS = 60;
/** A stall that affects requests and deliveries. */
const NOTICED_FROM_MS = 100;
/** A stall that is logged. */
const WARN_FROM_MS = 1_000;

/** Observations of the event loop. */
export interface EventLoopReadings {
  /** The longest stall of the last minute, in seconds. */
  longestStallSeconds: number;
  /** How long all stalls of more than 100 ms took since the start, in seconds. */
  stalledSeconds: number;
}

/**
 * Watches whether the event loop is blocked. While it is, no request is handled and nothing is delivered. Logs a
 * warning about long stalls, at most once a minute.
 *
 * The histogram of `perf_hooks` is not enough. It loses a stall that ends as it is reset. Nor can it distinguish the
 * service's own work from time in which other programs had the processor.
 */
export class EventLoopWatch implements Disposable {
  readonly #log: Logger;
  readonly #onBusy: (seconds: number) => void;
  readonly #timer: NodeJS.Timeout;
  /** The longest stall of each of the last seconds, in milliseconds, oldest first. */
  readonly #longest: number[] = [0];
  #lastCheck = performance.now();
  #lastCpuMs = threadCpuMs();
  #secondEnds = this.#lastCheck + SECOND_MS;
  #stalledMs = 0;
  #quietUntil = 0;

  /**
   * @param onBusy called at each check with the seconds for which the service itself blocked the loop: processor time,
   *   so that other programs on a busy machine do not count
   */
  constructor(log: Logger, onBusy: (seconds: number) => void) {
    this.#log = log;
    this.#onBusy = onBusy;
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  read(): EventLoopReadings {
    return {
      longestStallSeconds: Math.max(...this.#longest) / SECOND_MS,
      stalledSeconds: this.#stalledMs / SECOND_MS,
    };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    const stall = Math.max(0, now - this.#lastCheck - CHECK_EVERY_MS);
    this.#lastCheck = now;
    const cpuMs = threadCpuMs();
    this.#onBusy(Math.max(0, cpuMs - this.#lastCpuMs - CHECK_EVERY_MS) / SECOND_MS);
    this.#lastCpuMs = cpuMs;
    const last = this.#longest.length - 1;
    this.#longest[last] = Math.max(this.#longest[last]!, stall);
    if (now >= this.#secondEnds) {
      this.#secondEnds = now + SECOND_MS;
      this.#longest.push(0);
      if (this.#longest.length > REMEMBERED_SECONDS) this.#longest.shift();
    }
    if (stall > NOTICED_FROM_MS) this.#stalledMs += stall;
    if (stall < WARN_FROM_MS || now < this.#quietUntil) return;
    this.#quietUntil = now + REMEMBERED_SECONDS * SECOND_MS;
    this.#log.warn('the event loop was blocked: the service answered no request', {
      stall_ms: Math.round(stall),
    });
  }
}

/** Processor time that this thread has used, in milliseconds. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_PER_MS;
}
