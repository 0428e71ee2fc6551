import { keepNewest } from '../keep-newest.ts';
import { MINUTE_MS } from '../time/units.ts';

/** Further keys are kept instead of the oldest ones. */
const MAX_KEYS = 1_000;

/** Decides which of many equal lines are logged: for each key the first one, and then one per minute. */
export class OncePerMinute {
  readonly #loggedAt = new Map<string, number>();

  /** Whether a line about `key` is due. If so, it counts as logged. */
  isDue(key: string): boolean {
    const now = performance.now();
    const loggedAt = this.#loggedAt.get(key);
    if (loggedAt !== undefined && now - loggedAt < MINUTE_MS) return false;
    // The map is in the order in which its keys were last logged.
    this.#loggedAt.delete(key);
    this.#loggedAt.set(key, now);
    keepNewest(this.#loggedAt, MAX_KEYS);
    return true;
  }
}
