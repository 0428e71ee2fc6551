import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { BackgroundTask } from '../time/background-task.ts';
import { MINUTE_MS } from '../time/units.ts';

/** If the holder of a lease was killed, another instance can take it after this time. */
const LEASE_MS = MINUTE_MS;
/** How much the clocks of instances may differ: each estimates the time of the database server. */
const CLOCK_SLACK_MS = 5_000;
/** How often a lease is renewed while it lasts, once it was taken. */
const RENEWALS_PER_LEASE = 3;

/** Dependencies of {@link TaskLeases}. */
export interface TaskLeasesDependencies {
  database: Database;
  now: () => number;
  /** How long a lease lasts without renewal, in milliseconds. @defaultValue 60 000 */
  leaseMs?: number;
}

/**
 * Lets one instance at a time do a housekeeping task, by a row in the database that all instances share. Work under a
 * lease must be idempotent: a holder that was suspended for longer than its lease continues until its next renewal.
 */
export class TaskLeases {
  readonly #with: Required<TaskLeasesDependencies>;

  constructor(dependencies: TaskLeasesDependencies) {
    this.#with = { leaseMs: LEASE_MS, ...dependencies };
  }

  /**
   * Does the work, unless another instance is doing it or finished it less than `restMs` ago. Returns whether it did.
   * The signal is aborted when the lease is lost, or when the given signal is.
   * @throws what `work` throws; the task can then be retried immediately
   * @throws {DatabaseUnavailableError}
   */
  async run(
    task: string,
    { restMs, signal }: { restMs: number; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const token = randomUUID();
    if (!(await this.#take(task, token, restMs))) return false;
    const lost = new AbortController();
    const { leaseMs } = this.#with;
    const renewEveryMs = leaseMs / RENEWALS_PER_LEASE;
    const renewal = new BackgroundTask({
      round: async () => {
        if (!(await this.#renew(task, token, leaseMs))) lost.abort();
      },
      firstPauseMs: renewEveryMs,
      pauseMs: renewEveryMs,
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

  /** Until when a task was leased last, by any instance; null if it never was. */
  async leasedUntil(task: string): Promise<number | null> {
    const [row] = await this.#with.database.reader.all<{ leased_until: number }>(
      'select leased_until from task_leases where task = ?',
      task,
    );
    return row?.leased_until ?? null;
  }

  async #take(task: string, token: string, restMs: number): Promise<boolean> {
    const now = this.#with.now();
    const taken = await this.#with.database.transaction((tx) =>
      tx.run(
        `insert into task_leases (task, token, leased_until) values (?, ?, ?)
         on conflict (task) do update set token = excluded.token, leased_until = excluded.leased_until
         where task_leases.leased_until <= ? or task_leases.leased_until > ?`,
        task,
        token,
        now + this.#with.leaseMs,
        now,
        // Nobody leases a task for longer: the clock was set back.
        now + Math.max(this.#with.leaseMs, restMs) + CLOCK_SLACK_MS,
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
