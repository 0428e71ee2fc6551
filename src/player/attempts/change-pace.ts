import { setTimeout as pause } from 'node:timers/promises';
import { RateLimit } from '../../time/rate-limit.ts';
import { SECOND_MS } from '../../time/units.ts';

/** More changes than real courses report in a minute. */
export const CHANGES_AT_ONCE = 60;
/** Last requests pass without a pause while the next change would otherwise wait for at most this long. */
const LAST_AHEAD_MS = CHANGES_AT_ONCE * SECOND_MS;

/** What decides whether a save waits. */
export interface Paced {
  /**
   * Whether a page sends it while it is being closed. Then it does not wait, because the next page supersedes what is not
   * recorded soon. @defaultValue false
   */
  isLast?: boolean;
}

/** The saves of a registration that wait. */
interface Line {
  last: Promise<void>;
  /** Ends their pauses. */
  hurry: AbortController;
}

/**
 * Spaces the changes of each registration's result: many at once, then one per second. Each change is an event, with a
 * message in the line of every webhook that matches. A course that reports another score all the time would otherwise delay
 * the messages about everybody else. Nothing is refused or omitted, because units cannot send again what is refused: the
 * next save waits before it is recorded. Each instance counts for itself.
 */
export class ChangePace {
  readonly #limit: RateLimit;
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly #lines = new Map<string, Line>();

  /** @param options for tests. `rest` must not reject if the signal ends it */
  constructor({
    now,
    rest = async (ms, signal) => await pause(ms, undefined, { signal }).catch(() => undefined),
  }: { now?: () => number; rest?: (ms: number, signal: AbortSignal) => Promise<unknown> } = {}) {
    this.#limit = new RateLimit({ burst: CHANGES_AT_ONCE, refillMs: SECOND_MS }, now);
    this.#pause = rest;
  }

  /**
   * Resolves when the result of a registration may change again. Saves continue in the order in which they began to wait.
   * A last one ends the pauses of those before it, and follows them.
   */
  async next(registrationId: string, { isLast = false }: Paced = {}): Promise<void> {
    const line = this.#lines.get(registrationId);
    const waitMs = this.#limit.waitMs(registrationId);
    if (isLast && waitMs <= LAST_AHEAD_MS) {
      this.#lines.delete(registrationId);
      line?.hurry.abort();
      await line?.last;
      return;
    }
    if (line === undefined && waitMs === 0) return;
    const hurry = line?.hurry ?? new AbortController();
    const turn = (line?.last ?? Promise.resolve()).then(() => this.#rest(registrationId, hurry.signal));
    this.#lines.set(registrationId, { last: turn, hurry });
    await turn;
    if (this.#lines.get(registrationId)?.last === turn) this.#lines.delete(registrationId);
  }

  async #rest(registrationId: string, signal: AbortSignal): Promise<void> {
    const ms = this.#limit.waitMs(registrationId);
    if (ms > 0) await this.#pause(ms, signal);
  }

  /** Notes that the result of a registration has changed. */
  changed(registrationId: string): void {
    this.#limit.count(registrationId);
  }
}
