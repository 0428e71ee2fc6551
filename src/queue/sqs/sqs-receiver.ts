import type { Message } from '@aws-sdk/client-sqs';
import { BackgroundTask } from '../../time/background-task.ts';
import { SqsError } from './sqs-error.ts';
import type { SqsContext } from './sqs-health.ts';
import { readAttribute } from './sqs-message.ts';
import type { SqsQueue } from './sqs-queue.ts';
import { otherOwnersMessage } from './sqs-queues.ts';

/** While more batches wait to be deleted, none is received. */
const MAX_DELETIONS = 100;
const BUSY_PAUSE_MS = 250;

/** Dependencies of the receiver. */
export interface SqsReceiverOptions extends SqsContext {
  /** How long a request waits for a copy, in seconds; Amazon allows up to 20. */
  waitSeconds: number;
  queue: Pick<SqsQueue, 'work'>;
  /** Recognises copies that an earlier release sent. */
  upgrade: { recognise(copies: readonly Message[]): Promise<ReadonlySet<Message>> };
}

/**
 * Receives copies by long polling, passes them to the queue, and deletes them in the background. Copies of other
 * installations stay on Amazon SQS, and the queue is then no longer used.
 */
export class SqsReceiver implements AsyncDisposable {
  readonly #with: SqsReceiverOptions;
  readonly #deletions = new Set<Promise<void>>();
  #pauseMs = 0;
  /** Whether the database failed when copies had been received. */
  #isDatabaseLost = false;
  readonly #task = new BackgroundTask({
    round: (signal) => this.#receive(signal),
    pauseMs: () => this.#pauseMs,
    onError: (error) => {
      // Any other failure is one of the database, which the worker reports.
      this.#isDatabaseLost = !(error instanceof SqsError);
      this.#pauseMs = error instanceof SqsError ? this.#with.health.failed(error) : BUSY_PAUSE_MS;
    },
  });

  constructor(options: SqsReceiverOptions) {
    this.#with = options;
  }

  start(): void {
    this.#task.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
    await Promise.all(this.#deletions);
  }

  async #receive(signal: AbortSignal): Promise<number> {
    const { api, database, health, waitSeconds, installation, queue, upgrade } = this.#with;
    // Every receive counts for the redrive policy, so Amazon SQS would dead-letter copies that nobody can work on.
    if (this.#isDatabaseLost) await database.ping();
    this.#isDatabaseLost = false;
    if (health.obstacle !== null) return Number.POSITIVE_INFINITY;
    if (this.#deletions.size >= MAX_DELETIONS) return BUSY_PAUSE_MS;
    const askedAt = performance.now();
    const copies = await api.receive(waitSeconds, signal);
    health.worked();
    // Some servers respond at once although they were asked to wait.
    if (copies.length === 0) return performance.now() - askedAt < BUSY_PAUSE_MS ? BUSY_PAUSE_MS : 0;
    const ownerOf = (copy: Message) => readAttribute(copy, 'installation');
    const recognised = await upgrade.recognise(copies.filter((copy) => ownerOf(copy) === null));
    const ours = copies.filter((copy) => ownerOf(copy) === installation || recognised.has(copy));
    const other = copies.find((copy) => !ours.includes(copy));
    if (other !== undefined) health.forbid(otherOwnersMessage(api.nameOf('messages'), ownerOf(other)));
    if (ours.length === 0) return 0;
    await queue.work(ours);
    const deletion = this.#delete(ours).finally(() => this.#deletions.delete(deletion));
    this.#deletions.add(deletion);
    return 0;
  }

  async #delete(copies: readonly Message[]): Promise<void> {
    const { api, health } = this.#with;
    while (true) {
      try {
        await api.delete(copies.map(({ ReceiptHandle = '' }) => ReceiptHandle));
        return health.worked();
      } catch (error) {
        await this.#task.pause(health.failed(error));
        if (this.#task.signal.aborted) return;
      }
    }
  }
}
