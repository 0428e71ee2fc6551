/** Number of consecutive failures of a source before it must wait. */
const FAILURE_BURST = 10;
/** A source is allowed one more failure after this time. */
const FAILURE_REFILL_MS = 6_000;
/** How long a subject counts as known after its last success: longer than a month, because some programs run once a month. */
export const KNOWN_FOR_MS = 35 * 24 * 60 * 60 * 1_000;
/** Maximum number of sources, and of known pairs, in memory. Beyond it, the least recently used one is forgotten. */
export const MAX_REMEMBERED = 50_000;

/** Options of a limiter. All except the clock have the defaults that are exported here. */
export interface GuessLimiterOptions {
  now: () => number;
  burst?: number;
  refillMs?: number;
  knownForMs?: number;
  maxRemembered?: number;
}

/**
 * Slows down guessing without locking out anyone else. Only failures are charged, to the budget of their source (an
 * address). A subject (a client, a user) that has succeeded from a source before is a known pair with that source. Its
 * secrets are still verified when others have used up the source's budget.
 *
 * Sources (without NUL characters) and subjects are plain strings. The memory is limited and belongs to this process.
 * Waits are whole seconds, so that they can be sent as `Retry-After`.
 *
 * A budget is one number, the time at which it is full again. A failure postpones it by `refillMs`, and is allowed if
 * it then is within `burst * refillMs` from now.
 */
export class GuessLimiter {
  readonly #now: () => number;
  readonly #refillMs: number;
  readonly #capacityMs: number;
  readonly #knownForMs: number;
  readonly #maxRemembered: number;
  readonly #sources = new Map<string, number>();
  /** When known pairs last succeeded. */
  readonly #pairs = new Map<string, number>();

  constructor(options: GuessLimiterOptions) {
    this.#now = options.now;
    this.#refillMs = options.refillMs ?? FAILURE_REFILL_MS;
    this.#capacityMs = (options.burst ?? FAILURE_BURST) * this.#refillMs;
    this.#knownForMs = options.knownForMs ?? KNOWN_FOR_MS;
    this.#maxRemembered = options.maxRemembered ?? MAX_REMEMBERED;
  }

  /** Call before a secret is verified. Returns null if it may be, otherwise the seconds to wait. */
  refusal(source: string, subject: string): number | null {
    const wait = this.#waitMs(this.#sources.get(source));
    if (wait === 0) return null;
    return this.#isKnown(source, subject) ? null : toSeconds(wait);
  }

  /**
   * Reports a wrong secret. Returns null if the budget of the source allowed it, otherwise the seconds to wait,
   * which is handled like a rejection. That happens to known pairs and to concurrent guesses.
   */
  failed(source: string): number | null {
    const fullAt = this.#sources.get(source);
    const wait = this.#waitMs(fullAt);
    if (wait === 0) {
      this.#remember(this.#sources, source, this.#spend(fullAt));
      return null;
    }
    return toSeconds(wait);
  }

  /** Reports a correct secret. It does not refund the source, because a guesser may also know a correct one. */
  succeeded(source: string, subject: string): void {
    this.#remember(this.#pairs, pairKey(source, subject), this.#now());
  }

  #isKnown(source: string, subject: string): boolean {
    const succeededAt = this.#pairs.get(pairKey(source, subject));
    return succeededAt !== undefined && this.#now() - succeededAt < this.#knownForMs;
  }

  #waitMs(fullAt: number | undefined): number {
    return Math.max(0, this.#spentMs(fullAt) + this.#refillMs - this.#capacityMs);
  }

  #spend(fullAt: number | undefined): number {
    return this.#now() + this.#spentMs(fullAt) + this.#refillMs;
  }

  /** Bounded on both sides, so that a clock that was set back cannot make a wait longer than a refill. */
  #spentMs(fullAt = 0): number {
    return Math.min(Math.max(0, fullAt - this.#now()), this.#capacityMs);
  }

  #remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
    // Removed and added again, so that the map is ordered by last use.
    map.delete(key);
    map.set(key, value);
    if (map.size <= this.#maxRemembered) return;
    const oldest = map.keys().next().value;
    if (oldest !== undefined) map.delete(oldest);
  }
}

function pairKey(source: string, subject: string): string {
  return `${source}\0${subject}`;
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
