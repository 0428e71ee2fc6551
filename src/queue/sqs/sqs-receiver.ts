import { BackgroundTask } from '../../time/background-task.ts';
import { BATCH_ENTRIES } from './sqs-api.ts';
import type { SqsContext } from './sqs-context.ts';
import { SqsError } from './sqs-error.ts';
import { type Copy, toCopy } from './sqs-message.ts';

/** How long received copies stay hidden: they are deleted at once, unless the process dies. */
const VISIBILITY_SECONDS = 10;
/** Copies that wait to be deleted, beyond which none is received. */
const MAX_UNDELETED = 1_000;
const BUSY_PAUSE_MS = 250;

/** What the receiver works with. */
export interface SqsReceiverOptions extends SqsContext {
  /** How long a receive waits for a copy; Amazon allows up to 20. */
  waitSeconds: number;
  /** Has the lines of copies worked on, and answers the copies that are to be deleted. */
  work: (copies: readonly Copy[]) => Promise<readonly Copy[]>;
}

/** Receives copies by long polling, has their lines worked on, and deletes them, in tens and behind that. */
export class SqsReceiver implements AsyncDisposable {
  readonly #with: SqsReceiverOptions;
  readonly #undeleted: string[] = [];
  #pauseMs = 0;
  readonly #receives = this.#taskOf('receive', (signal) => this.#receive(signal));
  readonly #deletes = this.#taskOf('delete', () => this.#delete());

  constructor(options: SqsReceiverOptions) {
    this.#with = options;
    options.health.stop.addEventListener('abort', () => this.#receives.end());
  }

  start(): void {
    this.#deletes.start();
    if (!this.#with.health.stop.aborted) this.#receives.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#receives[Symbol.asyncDispose](), this.#deletes[Symbol.asyncDispose]()]);
  }

  /** Deletes copies soon. */
  delete(receiptHandles: readonly string[]): void {
    this.#undeleted.push(...receiptHandles);
    this.#deletes.wake();
  }

  #taskOf(kind: string, round: (signal: AbortSignal) => Promise<number>): BackgroundTask {
    return new BackgroundTask({
      round,
      pauseMs: () => this.#pauseMs,
      onError: (error) => {
        // Any other failure is the database's, of which the worker tells.
        this.#pauseMs = error instanceof SqsError ? this.#with.health.failed(kind, error) : BUSY_PAUSE_MS;
      },
    });
  }

  async #receive(signal: AbortSignal): Promise<number> {
    if (this.#undeleted.length > MAX_UNDELETED) return BUSY_PAUSE_MS;
    const { api, health, waitSeconds, work } = this.#with;
    const messages = await api.receive({ visibilitySeconds: VISIBILITY_SECONDS, waitSeconds, signal });
    health.worked('receive');
    if (messages.length === 0) return 0;
    const finished = await work(messages.map(toCopy));
    this.delete(finished.map((copy) => copy.receiptHandle));
    return 0;
  }

  async #delete(): Promise<number> {
    const batch = this.#undeleted.splice(0, BATCH_ENTRIES);
    if (batch.length === 0) return Number.POSITIVE_INFINITY;
    // Should this fail, they come again, do nothing, and are deleted then.
    await this.#with.api.delete(batch);
    this.#with.health.worked('delete');
    return 0;
  }
}
