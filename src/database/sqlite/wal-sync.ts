import { closeSync, fdatasync, openSync } from 'node:fs';

/**
 * Syncs the write-ahead log to disk without blocking the event loop. SQLite (`synchronous = full`) would do the
 * same inside `commit` and block it. A caller waits for a sync that began after its commit. Callers that come
 * during a sync share the next one.
 *
 * Record locks are not affected: SQLite holds them on the database and its `-shm` file, never on the log.
 */
export class WalSync implements AsyncDisposable {
  readonly #file: string;
  #descriptor: number | null = null;
  #next: PromiseWithResolvers<void> | null = null;
  #running: Promise<void> | null = null;

  /** @param file the log, which must exist at the first sync */
  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when everything that was committed before the call is on disk. */
  synced(): Promise<void> {
    this.#next ??= Promise.withResolvers();
    const { promise } = this.#next;
    this.#running ??= this.#run();
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#running !== null) await this.#running;
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  async #run(): Promise<void> {
    while (this.#next !== null) {
      const waiting = this.#next;
      this.#next = null;
      try {
        await this.#sync();
        waiting.resolve();
      } catch (error) {
        waiting.reject(error);
      }
    }
    this.#running = null;
  }

  // `async`, so that an error of opening the log is reported later, after `#running` is set.
  async #sync(): Promise<void> {
    this.#descriptor ??= openSync(this.#file, 'r+');
    const descriptor = this.#descriptor;
    await new Promise<void>((resolve, reject) => {
      fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}
