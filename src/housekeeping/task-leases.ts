import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';

/** How long a task is its holder's without a sign of life: a holder that was killed is followed by another after it. */
const LEASE_MS = 60_000;
const NEVER = new AbortController().signal;
const RENEW_EVERY_MS = LEASE_MS / 3;

/**
 * Lets one instance at a time do a housekeeping task, by a row in the database that all instances share. What is done
 * under a lease must bear being done twice: a holder that stands still for longer than its lease, and then goes on,
 * learns of it with its next renewal only.
 */
export class TaskLeases {
  readonly #database: Database;
  readonly #now: () => number;

  constructor({ database, now }: { database: Database; now: () => number }) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * Does the work unless another instance is at the task, or finished it less than `restMs` ago; answers whether it did.
   * The signal is aborted when the lease is lost, or when the given one is.
   * @throws what `work` throws; the task may then be tried again at once.
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
    let renewing: Promise<void> = Promise.resolve();
    const renewal = setInterval(() => {
      renewing = this.#renew(task, token, LEASE_MS).then(
        (isHeld) => {
          if (!isHeld) lost.abort();
        },
        // A database that does not answer may have given the task to another by now.
        () => lost.abort(),
      );
    }, RENEW_EVERY_MS);
    let isDone = false;
    try {
      await work(AbortSignal.any([signal, lost.signal]));
      isDone = !signal.aborted && !lost.signal.aborted;
      return true;
    } finally {
      clearInterval(renewal);
      await renewing;
      // Best effort: otherwise the lease ends by itself.
      await this.#renew(task, token, isDone ? restMs : 0).catch(() => {});
    }
  }

  /** Makes a change that has no effect: shows whether the database takes any. @throws {DatabaseUnavailableError} */
  async tryChange(): Promise<void> {
    await this.run('change-probe', { restMs: 0, signal: NEVER }, async () => {});
  }

  async #take(task: string, token: string): Promise<boolean> {
    const now = this.#now();
    const taken = await this.#database.transaction((tx) =>
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

  /** False when another instance has taken the task in the meantime. */
  async #renew(task: string, token: string, forMs: number): Promise<boolean> {
    const renewed = await this.#database.transaction((tx) =>
      tx.run(
        'update task_leases set leased_until = ? where task = ? and token = ?',
        this.#now() + forMs,
        task,
        token,
      ),
    );
    return renewed > 0;
  }
}
