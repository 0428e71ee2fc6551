import { setTimeout as pause } from 'node:timers/promises';
import { RateLimit } from '../../time/rate-limit.ts';
import { SECOND_MS } from '../../time/units.ts';

/** More changes than real courses report in a minute. */
export const CHANGES_AT_ONCE = 60;

/**
 * Spaces the changes of each registration's result: many at once, then one per second. Each change is an event, with a
 * message in the line of every webhook that matches. A course that reports another score all the time would otherwise delay
 * the messages about everybody else. Nothing is refused or omitted, because units cannot send again what is refused: the
 * next save waits before it is recorded.
 */
export class ChangePace {
  readonly #limit: RateLimit;
  readonly #pause: (ms: number) => Promise<unknown>;

  /** @param options for tests */
  constructor({ now, rest = pause }: { now?: () => number; rest?: (ms: number) => Promise<unknown> } = {}) {
    this.#limit = new RateLimit({ burst: CHANGES_AT_ONCE, refillMs: SECOND_MS }, now);
    this.#pause = rest;
  }

  /** Resolves when the result of a registration may change again. */
  async next(registrationId: string): Promise<void> {
    const ms = this.#limit.waitMs(registrationId);
    if (ms > 0) await this.#pause(ms);
  }

  /** Notes that the result of a registration changes. */
  changed(registrationId: string): void {
    this.#limit.count(registrationId);
  }
}
