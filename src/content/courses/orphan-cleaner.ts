import { setTimeout as delay } from 'node:timers/promises';
import type { TaskLeases } from '../../housekeeping/task-leases.ts';
import type { Logger } from '../../observability/log.ts';
import type { PackageIntake } from './package-intake.ts';

const HOUR_MS = 3_600_000;
/** Between rounds. Each lists all keys: on S3 a request for a thousand courses. */
const ROUND_PAUSE_MS = 6 * HOUR_MS;
/** So that instances which start together do not ask together. */
const ROUND_JITTER_MS = HOUR_MS;
const TASK = 'remove-orphans';

/** Removes files that belong to no course, a round every few hours; of several instances one. */
export class OrphanCleaner implements AsyncDisposable {
  readonly #intake: PackageIntake;
  readonly #log: Logger;
  readonly #leases: TaskLeases;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;

  constructor({
    intake,
    leases,
    log,
    random,
  }: { intake: PackageIntake; leases: TaskLeases; log: Logger; random: () => number }) {
    this.#leases = leases;
    this.#intake = intake;
    this.#log = log;
    this.#random = random;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#leases.run(TASK, { restMs: ROUND_PAUSE_MS, signal }, async (held) => {
          const removed = await this.#intake.removeOldOrphans(held);
          if (removed > 0) this.#log.info('files without a course were removed', { keys: removed });
        });
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn('the search for files without a course failed; it will be retried later', {
          error,
        });
      }
      const pause = ROUND_PAUSE_MS + this.#random() * ROUND_JITTER_MS;
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}
