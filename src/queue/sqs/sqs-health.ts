import type { Logger } from '../../observability/log.ts';
import { OutageLog } from '../../observability/outage-log.ts';
import { SqsError, type SqsFailure } from './sqs-error.ts';

/** In a few words what is wrong and what to do, by kind of failure. */
const ADVICE: Record<SqsFailure, string> = {
  'missing queue': 'the queue is gone; "coursewire queues create" creates it again',
  credentials: 'the AWS credentials are missing, wrong or expired',
  permission: 'the AWS credentials do not allow it; docs/operating.md shows the least policy',
  throttling: 'too many requests at a time',
  unreachable: 'it does not answer',
  refused: 'it refused the request',
  other: 'it failed',
};
/** A failed request is repeated after as long as the outage has lasted, between these. */
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 10_000;
/** A service that is throttled fails and works by turns: its outage ends after so long without a failure. */
const QUIET_MS = 3_000;
/** A request that is not repeated so long after its pause is not needed any more: when others work, and in any case. */
const IDLE_MS = 1_000;
const LONG_IDLE_MS = 30_000;

/** Whether the queues may be used, and whether Amazon SQS does what it is asked. */
export class SqsHealth {
  readonly #log: Logger;
  readonly #outages: OutageLog;
  readonly #onFailure: () => void;
  /** What fails, by kind of request: sending may be forbidden while receiving works. */
  readonly #failing = new Map<string, { advice: string; retryAt: number }>();
  #failedAt = 0;
  readonly #stop = new AbortController();
  #obstacle: string | null = null;

  constructor({ log, onFailure }: { log: Logger; onFailure: () => void }) {
    this.#log = log;
    this.#outages = new OutageLog(log);
    this.#onFailure = onFailure;
  }

  /** What a person has to do before the queues are used again; null when nothing. */
  get obstacle(): string | null {
    return this.#obstacle;
  }

  /** Aborted when the queues may not be used any more. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the use of the queues, until a person has acted and the service is restarted. */
  forbid(obstacle: string): void {
    if (this.#obstacle !== null) return;
    this.#obstacle = obstacle;
    this.#log.error(`Amazon SQS: ${obstacle}`);
    this.#stop.abort();
  }

  /** Notes that a request of this kind failed, and answers how long to pause before the next, in milliseconds. */
  failed(kind: string, error: unknown): number {
    this.#onFailure();
    const advice = ADVICE[error instanceof SqsError ? error.failure : 'other'];
    this.#outages.failed(
      {
        begins: `Amazon SQS: ${advice}. Nothing is lost: messages are delivered from the database meanwhile`,
        goesOn: `Amazon SQS still fails: ${advice}`,
      },
      { reason: error instanceof Error ? error.message : String(error) },
    );
    const pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, this.#outages.durationMs ?? 0));
    this.#failedAt = performance.now();
    this.#failing.set(kind, { advice, retryAt: this.#failedAt + pauseMs });
    return pauseMs;
  }

  /** Notes that requests of this kind work. */
  worked(kind: string): void {
    this.#failing.delete(kind);
    this.#endOutage(IDLE_MS);
  }

  /** For readiness. @throws {Error} while the queues may not be used, or a kind of request fails */
  async check(): Promise<void> {
    if (this.#obstacle !== null) throw new Error(this.#obstacle);
    this.#endOutage(LONG_IDLE_MS);
    const [failing] = this.#failing.values();
    if (failing !== undefined) throw new Error(`Amazon SQS: ${failing.advice}`);
  }

  #endOutage(idleMs: number): void {
    const now = performance.now();
    for (const [kind, { retryAt }] of this.#failing) if (now >= retryAt + idleMs) this.#failing.delete(kind);
    if (this.#failing.size === 0 && now - this.#failedAt >= QUIET_MS)
      this.#outages.ended('Amazon SQS works again');
  }
}
