import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { OutageLog } from '../../observability/outage-log.ts';
import { messageOf } from '../../problems/error-message.ts';
import type { SqsApi } from './sqs-api.ts';
import { SqsError } from './sqs-error.ts';

/** The context that the parts of the engine share. */
export interface SqsContext {
  database: Database;
  api: SqsApi;
  health: SqsHealth;
  log: Logger;
  /** The id of the installation that the queues belong to. */
  installation: string;
  /** Whether this instance delivers. */
  polls: boolean;
  now: () => number;
}

/** A failed request is repeated after a pause as long as the outage so far, between these limits. */
const PAUSE_MIN_MS = 100;
const PAUSE_MAX_MS = 10_000;
/**
 * An outage ends once no request has failed for the pause plus this time. Some requests may succeed during an outage.
 */
const QUIET_MS = 2_000;

/** Whether the queues are usable, and whether requests to Amazon SQS succeed. */
export class SqsHealth {
  readonly #outages: OutageLog;
  readonly #obstacles: OutageLog;
  readonly #onFailure: () => void;
  #failure: { advice: string; at: number; quietAt: number } | null = null;
  #workedAt = 0;
  #obstacle: string | null = null;

  constructor({ log, onFailure }: { log: Logger; onFailure: () => void }) {
    this.#outages = new OutageLog(log);
    this.#obstacles = new OutageLog(log);
    this.#onFailure = onFailure;
  }

  /** The action required before the queues can be used again; null if none. */
  get obstacle(): string | null {
    return this.#obstacle;
  }

  /** Whether an outage has not ended yet. */
  get isFailing(): boolean {
    return this.#failure !== null;
  }

  /** Stops using the queues until someone has fixed the problem and restarted the service. */
  forbid(obstacle: string): void {
    if (this.#obstacle !== null) return;
    this.#obstacle = obstacle;
    this.#logObstacle(obstacle);
  }

  /** Records that a request failed. Returns how long to pause before it is repeated, in milliseconds. */
  failed(error: unknown): number {
    // The service has aborted it, which says nothing about Amazon SQS.
    if (error instanceof SqsError && error.failure === 'aborted') return PAUSE_MIN_MS;
    this.#onFailure();
    const advice = error instanceof SqsError ? error.advice : 'it failed';
    this.#outages.failed(
      {
        begins: `Amazon SQS: ${advice}. Nothing is lost: messages are delivered from the database in the meantime`,
        continues: `Amazon SQS still fails: ${advice}`,
      },
      { reason: messageOf(error) },
    );
    const pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, this.#outages.durationMs ?? 0));
    const at = performance.now();
    this.#failure = { advice, at, quietAt: at + pauseMs + QUIET_MS };
    return pauseMs;
  }

  /** Records that a request succeeded. */
  worked(): void {
    this.#workedAt = performance.now();
    this.#endOutage();
  }

  /** For the readiness check, which logs no cause itself. @throws {Error} while the queues are unusable, or during an outage */
  async check(): Promise<void> {
    if (this.#obstacle !== null) {
      this.#logObstacle(this.#obstacle);
      throw new Error(this.#obstacle);
    }
    this.#endOutage();
    if (this.#failure !== null) throw new Error(`Amazon SQS: ${this.#failure.advice}`);
  }

  /** Logs an obstacle now, and once a minute while readiness is checked. */
  #logObstacle(obstacle: string): void {
    this.#obstacles.failed({ begins: obstacle, continues: `the queue is still unusable: ${obstacle}` }, {});
  }

  #endOutage(): void {
    if (this.#failure === null || this.#workedAt <= this.#failure.at) return;
    if (performance.now() < this.#failure.quietAt) return;
    this.#failure = null;
    this.#outages.ended('Amazon SQS works again');
  }
}
