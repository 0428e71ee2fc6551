import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { CheckpointAnswer, CheckpointRequest } from './wal-checkpoint-thread.ts';

/** What the log may hold before it is copied into the database: fewer, larger copies. */
const CHECKPOINT_BYTES = 32 * 1_024 * 1_024;
/** Commits between two looks at how much the log holds; a look takes 3 µs. */
const LOOK_EVERY = 16;

/**
 * Copies the write-ahead log into the database on a thread of its own. SQLite itself would do it inside a `commit`, with the
 * event loop standing still while it is copied and synced, 80 ms for 40 MiB: two fifths of all commits' time under load.
 * The log begins again only when all of it has been copied, and writers that go on in the meantime add to it.
 * So it is copied twice: first while they go on, which is most of it, then once more, for a moment in which
 * they are held.
 */
export class WalCheckpoints implements AsyncDisposable {
  readonly #file: string;
  readonly #writer: DatabaseSync;
  readonly #look: StatementSync;
  /** {@link CHECKPOINT_BYTES} in pages of this file. */
  readonly #checkpointPages: number;
  #commits = 0;
  /** The log is copied when it holds so many pages. */
  #copyAt: number;
  #thread: Worker | null = null;
  #running: Promise<void> | null = null;
  #held: Promise<unknown> | null = null;

  /** @param writer the connection that writes; its own checkpoints are switched off. */
  constructor(file: string, writer: DatabaseSync) {
    this.#file = file;
    this.#writer = writer;
    this.#writer.exec('pragma wal_autocheckpoint = 0');
    const { page_size } = writer.prepare('pragma page_size').get() as { page_size: number };
    this.#checkpointPages = Math.floor(CHECKPOINT_BYTES / page_size);
    this.#copyAt = this.#checkpointPages;
    this.#look = writer.prepare('pragma wal_checkpoint(noop)');
  }

  /** To be waited for before a transaction begins; null when none need wait. Never rejects. */
  get held(): Promise<unknown> | null {
    return this.#held;
  }

  /** To be called after each commit, outside of a transaction. Never throws: what was committed must be answered. */
  committed(): void {
    this.#commits += 1;
    if (this.#commits % LOOK_EVERY !== 0 || this.#running !== null) return;
    let pages: number;
    try {
      pages = this.#uncopiedPages();
    } catch {
      // A log that could not be looked at is complete all the same, and is looked at again.
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
    const { log, checkpointed } = this.#look.get() as { log: number; checkpointed: number };
    return log - checkpointed;
  }

  /** Never rejects: a log that could not be copied is complete all the same, and is copied later. */
  async #run(pages: number): Promise<void> {
    try {
      this.#thread ??= this.#start();
      await this.#copy(this.#thread);
      await this.#hold(this.#copy(this.#thread));
      this.#copyAt = this.#checkpointPages;
    } catch {
      // Without a thread SQLite does it as it always did, inside of commits.
      if (this.#thread === null) this.#writer.exec(`pragma wal_autocheckpoint = ${this.#checkpointPages}`);
      // Not again at the next commit: what keeps it (a full disk) hardly ends that soon.
      this.#copyAt = this.#thread === null ? Number.POSITIVE_INFINITY : pages + this.#checkpointPages;
    }
  }

  async #hold(copied: Promise<void>): Promise<void> {
    // Those who are held go on, whatever becomes of the copy.
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
    // Before whoever waits for an answer is told.
    thread.once('exit', () => {
      this.#thread = null;
    });
    // Told to who waits; without anyone waiting the end of the thread says enough.
    thread.on('error', () => {
      this.#thread = null;
    });
    return thread;
  }

  #ask(thread: Worker, request: CheckpointRequest): void {
    thread.postMessage(request);
  }

  /** @throws {Error} when it could not be copied, or the thread ended. */
  async #copy(thread: Worker): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const answered = ({ error }: CheckpointAnswer) => (error === null ? resolve() : reject(new Error(error)));
    const ended = () => reject(new Error('the thread ended'));
    thread.once('message', answered).once('error', reject).once('exit', ended);
    try {
      this.#ask(thread, 'copy');
      await promise;
    } finally {
      thread.off('message', answered).off('error', reject).off('exit', ended);
    }
  }
}

/**
 * The environment by which a thread uses the process's cache of compiled modules: without it, the thread loads the compiler
 * that strips types, which takes 7 MiB.
 */
function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  // The variable names the folder around the one of this version of Node.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}
