import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { MIB } from '../../bytes.ts';
import { compileCache } from '../../compile-cache.ts';
import type { CheckpointRequest, CheckpointResult, LogRest } from './wal-checkpoint-thread.ts';

/** The size of the log at which it is copied into the database. A large size means fewer, larger copies. */
const CHECKPOINT_BYTES = 32 * MIB;
/** Commits between two checks of the log's size. A check takes 3 µs. */
const COMMITS_BETWEEN_CHECKS = 16;

/**
 * Copies the write-ahead log into the database on a thread. SQLite would do it inside a `commit` and block the
 * event loop for the copy and the sync: 80 ms for 40 MiB, and two fifths of the time of all commits under load. The
 * log restarts only after all of it was copied, but writers add to it in the meantime. So it is copied several times: first
 * most of it, while writers continue, and then the rest, while they wait. Usually that is two copies. A long read, such
 * as a backup, keeps the log from being copied, and writers do not wait for that. It leaves gigabytes behind: these are
 * copied in further steps, until the rest is small. Then the thread cuts the file of the log, because a start after a
 * crash writes all of it again.
 */
export class WalCheckpoints implements AsyncDisposable {
  readonly #file: string;
  readonly #writer: DatabaseSync;
  readonly #logState: StatementSync;
  /** {@link CHECKPOINT_BYTES} in pages of this file. */
  readonly #checkpointPages: number;
  #commits = 0;
  /** The number of pages in the log at which it is copied. */
  #copyAt: number;
  #thread: Worker | null = null;
  #running: Promise<void> | null = null;
  #held: Promise<unknown> | null = null;

  /** @param writer the writing connection; its automatic checkpoints are switched off */
  constructor(file: string, writer: DatabaseSync) {
    this.#file = file;
    this.#writer = writer;
    this.#writer.exec('pragma wal_autocheckpoint = 0');
    const { page_size } = writer.prepare('pragma page_size').get() as { page_size: number };
    this.#checkpointPages = Math.floor(CHECKPOINT_BYTES / page_size);
    this.#copyAt = this.#checkpointPages;
    this.#logState = writer.prepare('pragma wal_checkpoint(noop)');
  }

  /** Await this before a transaction begins; null if there is no need to wait. Never rejects. */
  get held(): Promise<unknown> | null {
    return this.#held;
  }

  /** Call this after each commit, outside a transaction. Never throws, because the commit has succeeded. */
  committed(): void {
    this.#commits += 1;
    if (this.#commits % COMMITS_BETWEEN_CHECKS !== 0 || this.#running !== null) return;
    let pages: number;
    try {
      pages = this.#uncopiedPages();
    } catch {
      // The log is complete even if it could not be checked. It is checked again later.
      return;
    }
    if (pages < this.#copyAt) return;
    this.#running = this.#run(pages).finally(() => {
      this.#running = null;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running;
    const thread = this.#thread;
    if (thread === null) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.ref();
    this.#ask(thread, 'end');
    await ended;
  }

  #uncopiedPages(): number {
    const { log, checkpointed } = this.#logState.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  }

  /** Never rejects: a log that could not be copied is complete, and is copied later. */
  async #run(pages: number): Promise<void> {
    try {
      this.#thread ??= this.#start();
      if (await this.#copyMost(this.#thread)) await this.#hold(this.#copy(this.#thread, 'finish'));
      this.#copyAt = this.#checkpointPages;
    } catch {
      // Without a thread, SQLite copies the log inside commits, as it does by default.
      if (this.#thread === null) this.#writer.exec(`pragma wal_autocheckpoint = ${this.#checkpointPages}`);
      // Not at the next commit, because the cause, such as a full disk, probably remains.
      this.#copyAt = this.#thread === null ? Number.POSITIVE_INFINITY : pages + this.#checkpointPages;
    }
  }

  /**
   * Copies the log while writers continue, until the rest is small. If they write more than half as fast as it is copied,
   * it stops earlier, because the log would grow too much. Returns false if a long read keeps a large part from being copied.
   */
  async #copyMost(thread: Worker): Promise<boolean> {
    let before = Number.POSITIVE_INFINITY;
    while (true) {
      const { keptByReaders, uncopied } = await this.#copy(thread, 'copy');
      if (keptByReaders > this.#checkpointPages) return false;
      // SQLite refuses to look while a transaction is open. The thread looked a moment earlier.
      const rest = this.#writer.isTransaction ? uncopied : this.#uncopiedPages();
      if (rest <= this.#checkpointPages || rest > before / 2) return true;
      before = rest;
    }
  }

  async #hold(copied: Promise<unknown>): Promise<void> {
    // Waiting writers continue, whether or not the copy succeeded.
    this.#held = copied.catch(() => {});
    try {
      await copied;
    } finally {
      this.#held = null;
    }
  }

  #start(): Worker {
    const thread = new Worker(new URL('./wal-checkpoint-thread.ts', import.meta.url), {
      name: 'checkpoints',
      workerData: this.#file,
      execArgv: [],
      env: compileCache(),
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    });
    thread.unref();
    // Before waiting callers continue.
    thread.once('exit', () => {
      this.#thread = null;
    });
    // Waiting callers get the error. Without any, the end of the thread suffices.
    thread.on('error', () => {
      this.#thread = null;
    });
    return thread;
  }

  #ask(thread: Worker, request: CheckpointRequest): void {
    thread.postMessage(request);
  }

  /** @throws {Error} if it could not be copied, or if the thread ended */
  async #copy(thread: Worker, request: 'copy' | 'finish'): Promise<LogRest> {
    const { promise, resolve, reject } = Promise.withResolvers<LogRest>();
    const finished = (result: CheckpointResult) =>
      result.error === null ? resolve(result) : reject(new Error(result.error));
    const ended = () => reject(new Error('the thread ended'));
    thread.once('message', finished).once('error', reject).once('exit', ended);
    try {
      this.#ask(thread, request);
      return await promise;
    } finally {
      thread.off('message', finished).off('error', reject).off('exit', ended);
    }
  }
}
