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
  /** The last save of each registration that waits. */
  readonly #last = new Map<string, Promise<void>>();

  /** @param options for tests */
  constructor({ now, rest = pause }: { now?: () => number; rest?: (ms: number) => Promise<unknown> } = {}) {
    this.#limit = new RateLimit({ burst: CHANGES_AT_ONCE, refillMs: SECOND_MS }, now);
    this.#pause = rest;
  }

  /** Resolves when the result of a registration may change again. Saves continue in the order in which they began to wait. */
  async next(registrationId: string): Promise<void> {
    const earlier = this.#last.get(registrationId);
    if (earlier === undefined && this.#limit.waitMs(registrationId) === 0) return;
    const turn = (earlier ?? Promise.resolve()).then(() => this.#rest(registrationId));
    this.#last.set(registrationId, turn);
    await turn;
    if (this.#last.get(registrationId) === turn) this.#last.delete(registrationId);
  }

  async #rest(registrationId: string): Promise<void> {
    const ms = this.#limit.waitMs(registrationId);
    if (ms > 0) await this.#pause(ms);
  }

  /** Notes that the result of a registration changes. */
  changed(registrationId: string): void {
    this.#limit.count(registrationId);
  }
}
