import type { DatabaseClock } from '../database/database.ts';
import type { Logger } from './log.ts';

/** A clock that is off by more than this causes a warning. */
const WARN_FROM_MS = 1_000;
/** A warning ends below this, so that a clock at the limit does not cause one line after the other. */
const FINE_BELOW_MS = 500;

/**
 * Compares this machine's clock with that of the database, and logs when it becomes wrong and when it is correct again.
 */
export class ClockWatch {
  readonly #log: Logger;
  #aheadMs: number | null = null;

  constructor(clock: DatabaseClock, log: Logger) {
    this.#log = log;
    clock.onMeasured((aheadMs) => this.#measured(aheadMs));
  }

  /** How far this machine's clock is ahead of the database server's, in milliseconds; null while it is fine. */
  get wrongByMs(): number | null {
    return this.#aheadMs;
  }

  #measured(aheadMs: number): void {
    const wasWrong = this.#aheadMs !== null;
    if (Math.abs(aheadMs) > WARN_FROM_MS) {
      this.#aheadMs = aheadMs;
      if (!wasWrong) this.#log.warn(clockWarning(aheadMs), { ahead_ms: Math.round(aheadMs) });
    } else if (wasWrong && Math.abs(aheadMs) < FINE_BELOW_MS) {
      this.#aheadMs = null;
      this.#log.info('the clock of this machine is correct again');
    }
  }
}

function clockWarning(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  const direction = aheadMs > 0 ? 'ahead of' : 'behind';
  return (
    `the clock of this machine is ${seconds} s ${direction} the database server's: ` +
    'the service uses the clock of the server; synchronize this clock (NTP) to correct the times of log lines and certificate checks'
  );
}
