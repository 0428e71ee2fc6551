import type { Dialect } from '../../database/database.ts';
import { PacedCalls } from './paced-calls.ts';

/**
 * On PostgreSQL, the minimum time between a receive that found nothing and the next one. Otherwise, many signals whose
 * work another instance does, or lines that others have locked, would keep this instance busy.
 */
const LOOK_AGAIN_MS = 20;

/** When an instance receives again: what its last receive left, and how soon signals wake it. */
export class ReceivePace {
  readonly #wakeUps: PacedCalls;
  #othersAreDue = false;

  constructor(dialect: Dialect) {
    this.#wakeUps = new PacedCalls(dialect === 'postgres' ? LOOK_AGAIN_MS : 0);
  }

  /**
   * Whether the last receive left due lines because of its capacity. If so, a line whose message was delivered queues
   * behind them.
   */
  get othersAreDue(): boolean {
    return this.#othersAreDue;
  }

  /** Records what a receive left, and returns when the next head is available, given when the next line is due. */
  nextLook(nextAt: number | null, { now, isFull }: { now: number; isFull: boolean }): number | null {
    const isMoreDue = nextAt !== null && nextAt <= now;
    this.#othersAreDue = isMoreDue && isFull;
    // If there is capacity left, other instances are working on the remaining due lines.
    return isMoreDue && !isFull ? now + LOOK_AGAIN_MS : nextAt;
  }

  /** Delays wake-ups for a short time, because the last receive found nothing. */
  foundNothing(): void {
    this.#wakeUps.pause();
  }

  /** Calls a listener now or, after {@link foundNothing}, when the delay is over. */
  wake(listener: () => void): void {
    this.#wakeUps.call(listener);
  }
}
