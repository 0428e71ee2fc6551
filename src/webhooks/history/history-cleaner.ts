import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import type { TaskLeases } from '../../housekeeping/task-leases.ts';
import type { Logger } from '../../observability/log.ts';
import type { MessageQueue } from '../../queue/message-queue.ts';
import { eraseWebhooks, readForgottenWebhooks } from '../configuration/webhook-store.ts';
import { deleteDeadLetteredHistoryBefore, deleteHistoryBefore } from './delivery-store.ts';

const DAY_MS = 86_400_000;
/** Rows that one step removes: a few milliseconds of the database's time. */
const STEP_ROWS = 500;
/** Between steps deliveries and events have the database to themselves. */
const STEP_PAUSE_MS = 25;
/** Between rounds. */
const ROUND_PAUSE_MS = 60_000;
/** Of several instances, each of which makes rounds, the one that comes first after so long cleans. */
const REST_MS = ROUND_PAUSE_MS / 2;
const TASK = 'clean-history';

/** Keeps history, dead letters and deleted webhooks from growing without bound, in steps too small to notice. */
export class HistoryCleaner implements AsyncDisposable {
  readonly #database: Database;
  readonly #queue: MessageQueue;
  readonly #log: Logger;
  readonly #historyMs: number;
  readonly #deadLetterMs: number;
  readonly #furtherSteps: readonly ((limit: number) => Promise<number>)[];
  readonly #leases: TaskLeases;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;

  constructor(dependencies: {
    database: Database;
    queue: MessageQueue;
    log: Logger;
    historyDays: number;
    deadLetterDays: number;
    /** What else is cleaned in such steps: each removes at most so many rows and answers how many. */
    furtherSteps?: readonly ((limit: number) => Promise<number>)[];
    leases: TaskLeases;
    now: () => number;
  }) {
    this.#database = dependencies.database;
    this.#queue = dependencies.queue;
    this.#log = dependencies.log;
    this.#historyMs = dependencies.historyDays * DAY_MS;
    this.#deadLetterMs = dependencies.deadLetterDays * DAY_MS;
    this.#furtherSteps = dependencies.furtherSteps ?? [];
    this.#leases = dependencies.leases;
    this.#now = dependencies.now;
  }

  /** Begins to clean, a round a minute. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Cleans until nothing is left to clean, and answers how many rows went. */
  async cleanOnce(signal: AbortSignal = this.#stop.signal): Promise<number> {
    const historyBefore = this.#now() - this.#historyMs;
    const deadBefore = this.#now() - this.#deadLetterMs;
    const steps = [
      () => this.#database.transaction((tx) => deleteHistoryBefore(tx, historyBefore, STEP_ROWS)),
      () => this.#database.transaction((tx) => deleteDeadLetteredHistoryBefore(tx, deadBefore, STEP_ROWS)),
      () => this.#queue.removeDeadLettersBefore(deadBefore, STEP_ROWS),
      () => this.#eraseForgottenWebhooks(historyBefore),
      ...this.#furtherSteps.map((step) => () => step(STEP_ROWS)),
    ];
    let removed = 0;
    for (const step of steps) {
      let count = STEP_ROWS;
      while (count === STEP_ROWS && !signal.aborted) {
        count = await step();
        removed += count;
        if (count === STEP_ROWS) await this.#pause(STEP_PAUSE_MS);
      }
    }
    return removed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #eraseForgottenWebhooks(before: number): Promise<number> {
    return await this.#database.transaction(async (tx) => {
      const forgotten = await readForgottenWebhooks(tx, before, STEP_ROWS);
      const empty = await this.#queue.forgetLines(tx, forgotten);
      if (empty.length > 0) await eraseWebhooks(tx, empty);
      return empty.length;
    });
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#leases.run(TASK, { restMs: REST_MS, signal: this.#stop.signal }, async (signal) => {
          const removed = await this.cleanOnce(signal);
          if (removed > 0) this.#log.info('expired delivery history was removed', { rows: removed });
        });
      } catch (error) {
        this.#log.warn('expired delivery history could not be removed; retrying in a minute', { error });
      }
      await this.#pause(ROUND_PAUSE_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
