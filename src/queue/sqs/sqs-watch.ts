import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTask } from '../../time/background-task.ts';
import { judgeQueues, type QueueLimits, readLimits } from './sqs-attributes.ts';
import type { SqsContext } from './sqs-context.ts';
import { SqsError, SqsSetupError } from './sqs-error.ts';
import { findOtherOwners } from './sqs-owner.ts';

/** Between looks at the queues while all is well. */
const LOOK_MS = 3 * 60_000;
/** How long the first look may delay the startup, and when an unfinished one is repeated. */
const FIRST_LOOK_MS = 10_000;
const FIRST_RETRY_MS = 1_000;

/**
 * Looks at the queues at start and every few minutes: that they exist, are this installation's and are set up well, and how
 * often a message may be received. Each fault is logged once.
 */
export class SqsWatch implements AsyncDisposable {
  readonly #with: SqsContext;
  #logged = new Set<string>();
  #limits: QueueLimits = { maxReceives: null, maxBytes: 262_144 };
  #pauseMs = FIRST_RETRY_MS;
  #task: BackgroundTask | null = null;

  constructor(context: SqsContext) {
    this.#with = context;
  }

  /** What the service goes by, as it was at the last look. */
  get limits(): QueueLimits {
    return this.#limits;
  }

  /**
   * Looks for the first time and then goes on by itself. Queues that cannot be reached do not prevent the start: messages
   * wait in the database, and are delivered without copies.
   * @throws {SqsSetupError} when a queue is missing, not FIFO or another installation's, or no region is set.
   */
  async start(): Promise<void> {
    const { api, health } = this.#with;
    await api.region().catch((cause: unknown) => {
      const text = 'no region is set; set sqs_region, or AWS_REGION, or a region in the AWS profile';
      throw new SqsSetupError(`Amazon SQS: ${text}`, { cause });
    });
    const first = this.#look().then(
      (fatal) => {
        if (fatal.length > 0) throw new SqsSetupError(`Amazon SQS: ${fatal.join('; ')}`);
      },
      (error: unknown) => {
        health.failed('look', error);
        if (!(error instanceof SqsError) || error.failure !== 'missing queue') return;
        const text = `a queue is missing: ${error.message}. "coursewire queues create" creates both`;
        throw new SqsSetupError(`Amazon SQS: ${text}`, { cause: error });
      },
    );
    // A look that takes longer goes on behind the start, and must not end the process should it fail there.
    first.catch(() => undefined);
    await Promise.race([first, delay(FIRST_LOOK_MS, undefined, { ref: false })]);
    this.#task = new BackgroundTask({
      firstPauseMs: this.#pauseMs,
      round: async () => {
        const [fatal] = await this.#look();
        if (fatal !== undefined) health.forbid(fatal);
      },
      pauseMs: () => this.#pauseMs,
      onError: (error) => {
        this.#pauseMs = health.failed('look', error);
      },
    });
    this.#task.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task?.[Symbol.asyncDispose]();
  }

  /** Looks, logs what should be otherwise, and answers what makes the queues unfit for use. */
  async #look(): Promise<string[]> {
    const { api, health, log, installation } = this.#with;
    const [messages, dead] = await Promise.all([api.attributes('messages'), api.attributes('dead letters')]);
    const others = await findOtherOwners(api, installation);
    health.worked('look');
    this.#pauseMs = LOOK_MS;
    this.#limits = readLimits(messages);
    const { place } = api;
    const faults = judgeQueues(
      { name: place.messageQueueName, attributes: messages },
      { name: place.deadLetterQueueName, attributes: dead },
    );
    const warnings = faults.filter(({ isFatal }) => !isFatal).map(({ text }) => text);
    for (const text of warnings) if (!this.#logged.has(text)) log.warn(`Amazon SQS: ${text}`);
    this.#logged = new Set(warnings);
    return [...faults.filter(({ isFatal }) => isFatal).map(({ text }) => text), ...others];
  }
}
