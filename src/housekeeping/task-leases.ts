import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { BackgroundTask } from '../time/background-task.ts';

/** How long a lease lasts without renewal. If its holder was killed, another instance can take it afterwards. */
const LEASE_MS = 60_000;
const RENEW_EVERY_MS = LEASE_MS / 3;
const NEVER = new AbortController().signal;

/** Dependencies of {@link TaskLeases}. */
export interface TaskLeasesDependencies {
  database: Database;
  now: () => number;
}

/**
 * Lets one instance at a time do a housekeeping task, by a row in the database that all instances share. Work under a
 * lease must be idempotent: a holder that was suspended for longer than its lease continues until its next renewal.
 */
export class TaskLeases {
  readonly #with: TaskLeasesDependencies;

  constructor(dependencies: TaskLeasesDependencies) {
    this.#with = dependencies;
  }

  /**
   * Does the work, unless another instance is doing it or finished it less than `restMs` ago. Returns whether it did.
   * The signal is aborted when the lease is lost, or when the given signal is.
   * @throws what `work` throws; the task can then be retried at once
   * @throws {DatabaseUnavailableError}
   */
  async run(
    task: string,
    { restMs, signal }: { restMs: number; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const token = randomUUID();
    if (!(await this.#take(task, token))) return false;
    const lost = new AbortController();
    const renewal = new BackgroundTask({
      round: async () => {
        if (!(await this.#renew(task, token, LEASE_MS))) lost.abort();
      },
      firstPauseMs: RENEW_EVERY_MS,
      pauseMs: RENEW_EVERY_MS,
      // While the database does not respond, another instance may have taken the lease.
      onError: () => lost.abort(),
    });
    renewal.start();
    let isDone = false;
    try {
      await work(AbortSignal.any([signal, lost.signal]));
      isDone = !signal.aborted && !lost.signal.aborted;
      return true;
    } finally {
      await renewal[Symbol.asyncDispose]();
      // Best effort: otherwise the lease expires.
      await this.#renew(task, token, isDone ? restMs : 0).catch(() => {});
    }
  }

  /** Makes a change without effect, to see whether the database accepts changes. @throws {DatabaseUnavailableError} */
  async tryChange(): Promise<void> {
    await this.run('change-probe', { restMs: 0, signal: NEVER }, async () => {});
  }

  async #take(task: string, token: string): Promise<boolean> {
    const now = this.#with.now();
    const taken = await this.#with.database.transaction((tx) =>
      tx.run(
        `insert into task_leases (task, token, leased_until) values (?, ?, ?)
         on conflict (task) do update set token = excluded.token, leased_until = excluded.leased_until
         where task_leases.leased_until <= ?`,
        task,
        token,
        now + LEASE_MS,
        now,
      ),
    );
    return taken > 0;
  }

  /** Returns false if another instance has taken the lease in the meantime. */
  async #renew(task: string, token: string, forMs: number): Promise<boolean> {
    const renewed = await this.#with.database.transaction((tx) =>
      tx.run(
        'update task_leases set leased_until = ? where task = ? and token = ?',
        this.#with.now() + forMs,
        task,
        token,
      ),
    );
    return renewed > 0;
  }
}
