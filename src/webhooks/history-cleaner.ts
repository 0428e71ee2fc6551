import type { Database } from '../database/database.ts';
import type { TaskLeases } from '../housekeeping/task-leases.ts';
import type { Logger } from '../observability/log.ts';
import type { MessageQueue } from '../queue/message-queue.ts';
import { BackgroundTask } from '../time/background-task.ts';
import { eraseWebhooks } from './configuration/webhook-store.ts';
import { deleteEventsBefore } from './events/event-blocks.ts';
import { readForgottenWebhooks } from './history/delivery-listing-store.ts';
import { deleteDeadLetteredHistoryBefore, deleteHistoryBefore } from './history/delivery-store.ts';

const DAY_MS = 86_400_000;
/** Rows removed per step: a few milliseconds of database time. */
const STEP_ROWS = 500;
/** Pause between steps, for deliveries and events. */
const STEP_PAUSE_MS = 25;
/** Pause between rounds. */
const ROUND_PAUSE_MS = 60_000;
/** After this time, the first of several instances to start a round does the cleaning. */
const REST_MS = ROUND_PAUSE_MS / 2;
const TASK = 'clean-history';

/** Dependencies of the cleaner. */
export interface HistoryCleanerDependencies {
  database: Database;
  queue: MessageQueue;
  log: Logger;
  historyDays: number;
  deadLetterDays: number;
  /** Other cleaning steps: each removes at most the given number of rows and returns how many. */
  furtherSteps?: readonly ((limit: number) => Promise<number>)[];
  leases: TaskLeases;
  now: () => number;
}

/** Keeps events, history, dead letters and deleted webhooks from growing without limit, in small steps. */
export class HistoryCleaner implements AsyncDisposable {
  readonly #with: HistoryCleanerDependencies;
  readonly #task: BackgroundTask;

  constructor(dependencies: HistoryCleanerDependencies) {
    this.#with = dependencies;
    const { leases, log } = dependencies;
    this.#task = new BackgroundTask({
      round: async (signal) => {
        await leases.run(TASK, { restMs: REST_MS, signal }, async (held) => {
          const removed = await this.cleanOnce(held);
          if (removed > 0) log.info('old delivery history was removed', { rows: removed });
        });
      },
      pauseMs: ROUND_PAUSE_MS,
      onError: (error) =>
        log.warn('old delivery history could not be removed; retrying in a minute', { error }),
    });
  }

  /** Starts cleaning, one round per minute. */
  start(): void {
    this.#task.start();
  }

  /** Cleans until nothing is left to clean, and returns the number of removed rows. */
  async cleanOnce(signal: AbortSignal = this.#task.signal): Promise<number> {
    const { database, queue, historyDays, deadLetterDays, furtherSteps = [], now } = this.#with;
    const historyBefore = now() - historyDays * DAY_MS;
    const deadBefore = now() - deadLetterDays * DAY_MS;
    const steps = [
      () => database.transaction((tx) => deleteHistoryBefore(tx, historyBefore, STEP_ROWS)),
      () => database.transaction((tx) => deleteDeadLetteredHistoryBefore(tx, deadBefore, STEP_ROWS)),
      () => queue.removeDeadLettersBefore(deadBefore, STEP_ROWS),
      () => database.transaction((tx) => deleteEventsBefore(tx, historyBefore, STEP_ROWS)),
      () => this.#eraseForgottenWebhooks(historyBefore),
      ...furtherSteps.map((step) => () => step(STEP_ROWS)),
    ];
    let removed = 0;
    for (const step of steps) {
      let count = STEP_ROWS;
      while (count === STEP_ROWS && !signal.aborted) {
        count = await step();
        removed += count;
        if (count === STEP_ROWS) await this.#task.pause(STEP_PAUSE_MS);
      }
    }
    return removed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  async #eraseForgottenWebhooks(before: number): Promise<number> {
    const { database, queue } = this.#with;
    return await database.transaction(async (tx) => {
      const forgotten = await readForgottenWebhooks(tx, before, STEP_ROWS);
      const empty = await queue.forgetLines(tx, forgotten);
      if (empty.length > 0) await eraseWebhooks(tx, empty);
      return empty.length;
    });
  }
}
