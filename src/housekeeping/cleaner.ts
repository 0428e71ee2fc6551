import { performance } from 'node:perf_hooks';
import type { Logger } from '../observability/log.ts';
import { BackgroundTask } from '../time/background-task.ts';
import { formatDateTime } from '../time/date-time.ts';
import { DAY_MS, MINUTE_MS } from '../time/units.ts';
import type { TaskLeases } from './task-leases.ts';

/** Rows removed per step: a few milliseconds of database time. */
const STEP_ROWS = 500;
/** Pause between steps, for deliveries and events. */
const STEP_PAUSE_MS = 25;
/** Pause between rounds. */
const ROUND_PAUSE_MS = MINUTE_MS;
/** After this time, the first of several instances to start a round does the cleaning. */
const REST_MS = ROUND_PAUSE_MS / 2;
/** If nothing was removed for longer, the clock may be wrong. */
const DOUBTED_FROM_MS = 2 * DAY_MS;
/** For how long a clock is doubted. Until then, it is usually corrected. */
const DOUBTED_FOR_MS = 10 * MINUTE_MS;
/** Instances of earlier releases know the task by this name. */
const TASK = 'clean-history';
/** The steps that continue while the clock is in doubt. The task has its own name, because that of the other shows the last cleaning. */
const UNTIMED_TASK = 'clean-untimed';

/** Removes one kind of data that has expired. */
export interface CleaningStep {
  /** What it removes, for the log: `sessions`. */
  name: string;
  /** Whether it removes the same, whatever the clock says. It then also runs while the clock may be wrong. */
  isUntimed?: boolean;
  /**
   * Removes at most the given number of rows, and returns how many it removed. If these are as many as it was given, it
   * is run again. A step that stops earlier because rows are large says itself whether there may be more.
   */
  run: (limit: number) => Promise<number | Removal>;
}

/** What a run of a step removed. */
export interface Removal {
  rows: number;
  /** Whether it stopped although there may be more to remove. */
  mayBeMore: boolean;
}

/** Dependencies of {@link Cleaner}. */
export interface CleanerDependencies {
  steps: readonly CleaningStep[];
  leases: TaskLeases;
  log: Pick<Logger, 'info' | 'warn'>;
  now: () => number;
  /** Milliseconds since any time, by a clock that nobody sets. @defaultValue `performance.now` */
  monotonicNow?: () => number;
  /** Pause between rounds, in milliseconds. @defaultValue 60 000 */
  pauseMs?: number;
}

/** Removes what has expired, in small steps, on one of several instances at a time. */
export class Cleaner implements AsyncDisposable {
  readonly #with: CleanerDependencies;
  readonly #task: BackgroundTask;
  /** Since when the clock is doubted, in monotonic time; null while it is not. */
  #doubtedSince: number | null = null;

  constructor(dependencies: CleanerDependencies) {
    this.#with = dependencies;
    const { steps, leases, log, pauseMs = ROUND_PAUSE_MS } = dependencies;
    this.#task = new BackgroundTask({
      round: async (signal) => {
        const isDoubted = await this.#isClockDoubted();
        await leases.run(isDoubted ? UNTIMED_TASK : TASK, { restMs: REST_MS, signal }, async (held) => {
          await this.#clean(isDoubted ? steps.filter(({ isUntimed }) => isUntimed) : steps, held);
        });
      },
      pauseMs,
      onError: (error) => log.warn('expired data could not be removed; retrying in a minute', { error }),
    });
  }

  /** Starts cleaning, one round per minute. */
  start(): void {
    this.#task.start();
  }

  /**
   * Cleans until nothing is left to clean, and returns the number of removed rows. A step that fails does not stop the
   * others, even if the database refused it: the cause may concern only one table (a lock, a damaged index).
   */
  async cleanOnce(signal: AbortSignal = this.#task.signal): Promise<number> {
    return await this.#clean(this.#with.steps, signal);
  }

  async #clean(steps: readonly CleaningStep[], signal: AbortSignal): Promise<number> {
    let removed = 0;
    for (const step of steps) {
      try {
        removed += await this.#repeat(step, signal);
      } catch (error) {
        if (this.#task.signal.aborted) break;
        this.#with.log.warn('expired data could not be removed; retrying in a minute', {
          step: step.name,
          error,
        });
      }
    }
    return removed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  /**
   * Whether the clock may be far ahead: then everything would seem expired, and be gone before the clock is corrected. A
   * service that was off for days looks the same, so it cleans a few minutes later.
   */
  async #isClockDoubted(): Promise<boolean> {
    const { leases, log, now, monotonicNow = performance.now.bind(performance) } = this.#with;
    const last = await leases.leasedUntil(TASK);
    const at = now();
    if (last === null || at - last <= DOUBTED_FROM_MS) {
      this.#doubtedSince = null;
      return false;
    }
    if (this.#doubtedSince === null) {
      this.#doubtedSince = monotonicNow();
      log.warn(
        'expired data is kept for 10 minutes: by the clock, it was last removed days ago; if the service was not off since, correct the clock',
        { last_dt: formatDateTime(last), now_dt: formatDateTime(at) },
      );
    }
    return monotonicNow() - this.#doubtedSince < DOUBTED_FOR_MS;
  }

  /** Repeats a step until it finds nothing more to remove. */
  async #repeat({ name, run }: CleaningStep, signal: AbortSignal): Promise<number> {
    let removed = 0;
    try {
      for (let mayBeMore = true; mayBeMore && !signal.aborted; ) {
        const removal = await run(STEP_ROWS);
        const rows = typeof removal === 'number' ? removal : removal.rows;
        mayBeMore = typeof removal === 'number' ? rows === STEP_ROWS : removal.mayBeMore;
        removed += rows;
        if (mayBeMore) await this.#task.pause(STEP_PAUSE_MS);
      }
    } finally {
      if (removed > 0) this.#with.log.info('expired data was removed', { step: name, rows: removed });
    }
    return removed;
  }
}
