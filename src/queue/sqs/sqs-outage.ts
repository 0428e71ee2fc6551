import type { Logger } from '../../observability/log.ts';
import { SqsError, type SqsFailure } from './sqs-error.ts';

/** In a few words what to do, by kind of failure. */
const ADVICE: Record<SqsFailure, string> = {
  'missing queue': 'the queue is gone; "coursewire queues create" creates it again',
  credentials: 'the AWS credentials are missing, wrong or expired',
  permission: 'the AWS credentials do not allow it; docs/operating.md shows the least policy',
  throttling: 'too many requests at a time',
  unreachable: 'it does not answer',
  refused: 'it refused the request',
  other: 'it failed',
};
/** Pauses before work is tried again: doubling between these. */
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 10_000;
/** A success so soon after a failure, of a request that was under way, does not end an outage. */
const SETTLING_MS = 150;
/** Work that was not tried again so long after its pause has nothing to do any more: when other work succeeds, and in any case. */
const IDLE_MS = 1_000;
const LONG_IDLE_MS = 30_000;
/** A service that is throttled fails and works by turns: each kind of failure is said so often at most. */
const SAY_AGAIN_MS = 60_000;

/** One of the things that the service does with Amazon SQS, and that can fail by itself. */
export type SqsWork = 'send' | 'receive' | 'delete' | 'look';

/**
 * Whether Amazon SQS works: says once that it does not, and why, and once that it does again. Work of one kind says
 * nothing of another's: sending may be forbidden while receiving works.
 */
export class SqsOutage {
  readonly #log: Logger;
  readonly #onFailure: () => void;
  readonly #now: () => number;
  readonly #failing = new Map<
    SqsWork,
    { failure: SqsFailure; times: number; lastAt: number; retryAt: number }
  >();
  readonly #saidAt = new Map<SqsFailure, number>();
  #isSaid = false;

  constructor({ log, onFailure, now }: { log: Logger; onFailure: () => void; now: () => number }) {
    this.#log = log;
    this.#onFailure = onFailure;
    this.#now = now;
  }

  /** Notes that work failed, and answers how long to pause before it is tried again, in milliseconds. */
  failed(work: SqsWork, error: unknown): number {
    this.#onFailure();
    const failure = error instanceof SqsError ? error.failure : 'other';
    const times = (this.#failing.get(work)?.times ?? 0) + 1;
    const pause = Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** Math.min(times, 10));
    this.#failing.set(work, { failure, times, lastAt: this.#now(), retryAt: this.#now() + pause });
    this.#say(failure, error);
    return pause;
  }

  /** Notes that work succeeded. */
  worked(work: SqsWork): void {
    const failing = this.#failing.get(work);
    if (failing !== undefined && this.#now() - failing.lastAt >= SETTLING_MS) this.#failing.delete(work);
    this.#endIdle(IDLE_MS);
  }

  #endIdle(idleMs: number): void {
    for (const [work, { retryAt }] of this.#failing)
      if (this.#now() >= retryAt + idleMs) this.#failing.delete(work);
    if (this.#failing.size > 0 || !this.#isSaid) return;
    this.#isSaid = false;
    this.#log.info('Amazon SQS works again');
  }

  /** Resolves while all works. @throws {Error} while something does not. */
  async check(): Promise<void> {
    this.#endIdle(LONG_IDLE_MS);
    const [failing] = this.#failing.values();
    if (failing !== undefined) throw new Error(`Amazon SQS: ${ADVICE[failing.failure]}`);
  }

  #say(failure: SqsFailure, error: unknown): void {
    const saidAt = this.#saidAt.get(failure);
    const isRecent = saidAt !== undefined && this.#now() - saidAt < SAY_AGAIN_MS;
    if (isRecent || [...this.#failing.values()].filter((each) => each.failure === failure).length > 1) return;
    // While it goes on it is not said again, however long.
    if (saidAt !== undefined && this.#isSaid) return;
    this.#saidAt.set(failure, this.#now());
    this.#isSaid = true;
    this.#log.error(
      `Amazon SQS: ${ADVICE[failure]}. Nothing is lost: messages are delivered from the database meanwhile`,
      { reason: error instanceof Error ? error.message : String(error) },
    );
  }
}
