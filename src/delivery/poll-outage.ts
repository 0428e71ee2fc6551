import type { Logger } from '../observability/log.ts';
import { OutageLog } from '../observability/outage-log.ts';
import { messageOf } from '../problems/error-message.ts';
import { SECOND_MS } from '../time/units.ts';

/** Pauses after a poll failed, doubling from the first to the second value. */
export const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** How long polls may fail before the check fails. */
const TROUBLE_AFTER_MS = 30 * SECOND_MS;

/** An outage of the queue: polls fail, so nothing is delivered. */
export class PollOutage {
  readonly #log: OutageLog;
  readonly #elapsed: () => number;
  /** The polls that failed since the last one that succeeded. */
  #failures = 0;
  /** Since when no poll succeeds, by `#elapsed`, and the last error; null if the last one succeeded. */
  #failing: { since: number; error: unknown } | null = null;

  /** @param elapsed monotonic clock, in milliseconds */
  constructor({ log, elapsed }: { log: Logger; elapsed: () => number }) {
    this.#log = new OutageLog(log);
    this.#elapsed = elapsed;
  }

  /** The pause before the next poll, in milliseconds. */
  get pauseMs(): number {
    return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
  }

  /** Notes that a poll failed. */
  failed(error: unknown): void {
    this.#log.failed(
      {
        begins: 'the queue failed: delivery pauses until it responds',
        continues: 'the queue still fails: nothing is delivered',
      },
      { error },
    );
    this.#failing = { since: this.#failing?.since ?? this.#elapsed(), error };
    this.#failures += 1;
  }

  /** Notes that polls wait for something else, which counts like polls that fail. */
  delayed(reason: string): void {
    this.#failing ??= { since: this.#elapsed(), error: new Error(reason) };
  }

  /** Notes that a poll succeeded. */
  ended(): void {
    this.#log.ended('the queue responds again: delivery continues');
    this.#failing = null;
    this.#failures = 0;
  }

  /** @throws {Error} if no poll has succeeded for a while */
  check(): void {
    if (this.#failing === null || this.#elapsed() - this.#failing.since < TROUBLE_AFTER_MS) return;
    throw new Error(`no messages can be received from the queue: ${messageOf(this.#failing.error)}`);
  }
}
