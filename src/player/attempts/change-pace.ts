import { setTimeout as pause } from 'node:timers/promises';
import { RateLimit } from '../../time/rate-limit.ts';

/** More changes than real courses report in a minute. */
export const CHANGES_AT_ONCE = 60;
/** Ten per second: more than real courses report all the time, and so short a pause that no line of saves grows. */
export const PAUSE_MS = 100;

/**
 * Spaces the changes of each registration's result: many at once, then ten per second. Each change is an event, with a
 * message in the line of every webhook that matches. A browser could otherwise send changes without a limit, and delay the
 * messages about everybody else. Nothing is refused or omitted, because units cannot send again what is refused: the
 * next save waits before it is recorded. Each instance counts for itself.
 */
export class ChangePace {
  readonly #limit: RateLimit;
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Resolves when the last save of a registration that waits is recorded, or has failed. Missing if none waits. */
  readonly #lines = new Map<string, Promise<unknown>>();
  readonly #stop = new AbortController();

  /** @param options for tests. `rest` must not reject if the signal ends it */
  constructor({
    now,
    rest = async (ms, signal) => await pause(ms, undefined, { signal }).catch(() => undefined),
  }: { now?: () => number; rest?: (ms: number, signal: AbortSignal) => Promise<unknown> } = {}) {
    this.#limit = new RateLimit({ burst: CHANGES_AT_ONCE, refillMs: PAUSE_MS }, now);
    this.#pause = rest;
  }

  /** Records a save when the result of its registration may change again, after the saves before it that wait. */
  async record<R>(registrationId: string, save: () => Promise<R>): Promise<R> {
    if (!this.#lines.has(registrationId) && this.#limit.waitMs(registrationId) === 0) return await save();
    const saved = this.settle(registrationId)
      .then(() => this.#rest(registrationId))
      .then(save);
    const line = saved.catch(() => undefined);
    this.#lines.set(registrationId, line);
    await line;
    if (this.#lines.get(registrationId) === line) this.#lines.delete(registrationId);
    return await saved;
  }

  /**
   * Resolves when all saves of a registration that wait now are recorded. Requests that are not paced wait for these
   * saves, because they may end the session or the page that sent them.
   */
  async settle(registrationId: string): Promise<void> {
    await this.#lines.get(registrationId);
  }

  async #rest(registrationId: string): Promise<void> {
    const ms = this.#limit.waitMs(registrationId);
    if (ms > 0) await this.#pause(ms, this.#stop.signal);
  }

  /** Notes that the result of a registration has changed. */
  changed(registrationId: string): void {
    this.#limit.count(registrationId);
  }

  /** Ends all pauses, now and later, because the service stops. */
  stop(): void {
    this.#stop.abort();
  }
}
