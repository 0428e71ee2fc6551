import { MINUTE_MS } from '../time/units.ts';
import type { LogFields, Logger } from './log.ts';

/** How often a continuing outage is logged. */
const LOG_EVERY_MS = MINUTE_MS;

/**
 * Logs the outages of a dependency: one line at the beginning, one per minute with a count of failures, and one at the
 * end. The number of lines does not depend on the number of failed requests.
 */
export class OutageLog {
  readonly #log: Logger;
  #outage: { since: number; failures: number; loggedAt: number } | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** How long the outage has lasted, in milliseconds; null while there is none. */
  get durationMs(): number | null {
    return this.#outage === null ? null : performance.now() - this.#outage.since;
  }

  /**
   * Notes a failure. The text of its line, if it gets one, is `begins` at the start of an outage and `continues` later.
   */
  failed({ begins, continues }: { begins: string; continues: string }, fields: LogFields): void {
    const now = performance.now();
    if (this.#outage === null) {
      this.#outage = { since: now, failures: 1, loggedAt: now };
      this.#log.error(begins, fields);
      return;
    }
    this.#outage.failures += 1;
    if (now - this.#outage.loggedAt < LOG_EVERY_MS) return;
    this.#outage.loggedAt = now;
    this.#log.error(continues, { ...fields, ...this.#counts() });
  }

  /**
   * Ends the outage, if there is one.
   * @param at when it ended, on the clock of `performance.now`. @defaultValue now
   */
  ended(text: string, at = performance.now()): void {
    if (this.#outage === null) return;
    this.#log.info(text, this.#counts(at));
    this.#outage = null;
  }

  #counts(at = performance.now()): { failures: number; duration_ms: number } {
    const { failures, since } = this.#outage ?? { failures: 0, since: at };
    return { failures, duration_ms: Math.round(at - since) };
  }
}
