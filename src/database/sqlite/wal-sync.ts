import { closeSync, fdatasync, openSync } from 'node:fs';

/**
 * Syncs the write-ahead log to disk, off the main thread. SQLite itself (`synchronous = full`) would do the same
 * inside `commit`, with the event loop standing still for as long as the disk takes. Whoever waits for a sync waits
 * for one that began after the commit; those who come while one is under way share the next.
 *
 * Record locks are not at stake: SQLite holds them on the database and its `-shm` file, never on the log.
 */
export class WalSync implements AsyncDisposable {
  readonly #file: string;
  #descriptor: number | null = null;
  #next: PromiseWithResolvers<void> | null = null;
  #running: Promise<void> | null = null;

  /** @param file the log, which must exist when the first sync is asked for. */
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

  // `async`, so that a log that cannot be opened is told later too, never before `#running` is set.
  async #sync(): Promise<void> {
    this.#descriptor ??= openSync(this.#file, 'r+');
    const descriptor = this.#descriptor;
    await new Promise<void>((resolve, reject) => {
      fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}
