import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../observability/log.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import type { SqsApi } from './sqs-api.ts';
import { judgeQueues, type QueueLimits, readLimits } from './sqs-attributes.ts';
import { SqsError, SqsSetupError } from './sqs-error.ts';
import type { SqsOutage } from './sqs-outage.ts';
import { otherOwnerText, readOtherOwner, type SqsObstacle } from './sqs-owner.ts';

/** Between looks at the queues while all is well. */
const LOOK_MS = 3 * 60_000;
/** How long the first look may hold up the start. */
const FIRST_LOOK_MS = 10_000;
/** When a first look that failed is repeated. */
const FIRST_RETRY_MS = 1_000;

/** What the watch works with. */
export interface SqsWatchDependencies {
  api: SqsApi;
  outage: SqsOutage;
  obstacle: SqsObstacle;
  log: Logger;
  installation: string;
  /** For a queue without a redrive policy. */
  defaultMaxReceives: number;
}

/**
 * Looks at the queues at start and every few minutes: that they exist, are this installation's and are set up well, and how
 * often a message may be received. Each fault is logged once.
 */
export class SqsWatch implements AsyncDisposable {
  readonly #with: SqsWatchDependencies;
  #logged = new Set<string>();
  #limits: QueueLimits = { maxReceives: null, maxBytes: 262_144 };
  #isKnown = false;
  #task: BackgroundTask | null = null;

  constructor(dependencies: SqsWatchDependencies) {
    this.#with = dependencies;
  }

  /** How often a message may be received, by the queue's redrive policy. */
  get maxReceives(): number {
    return this.#limits.maxReceives ?? this.#with.defaultMaxReceives;
  }

  /** The limit on a message's size, in bytes. */
  get maxBytes(): number {
    return this.#limits.maxBytes;
  }

  /**
   * Looks for the first time and then goes on by itself. Queues that cannot be reached do not prevent the start: messages
   * wait in the database, and are delivered without copies.
   * @throws {SqsSetupError} when a queue is missing, not FIFO or another installation's, or no region is set.
   */
  async start(): Promise<void> {
    try {
      await this.#with.api.region();
    } catch (error) {
      throw new SqsSetupError(
        'Amazon SQS: no region is set; set sqs_region, or AWS_REGION, or a region in the AWS profile',
        { cause: error },
      );
    }
    const timeout = new AbortController();
    const first = this.#look({ isFirst: true });
    // A look that takes longer goes on behind the start, and must not end the process should it fail there.
    first.catch(() => undefined);
    await Promise.race([first, delay(FIRST_LOOK_MS, undefined, { signal: timeout.signal })]).finally(() =>
      timeout.abort(),
    );
    this.#task = new BackgroundTask({
      firstPauseMs: this.#isKnown ? LOOK_MS : FIRST_RETRY_MS,
      round: () => this.#look({ isFirst: false }),
      pauseMs: LOOK_MS,
      onError: (error) => this.#with.outage.failed('look', error),
    });
    this.#task.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task?.[Symbol.asyncDispose]();
  }

  /** Looks, and answers when to look again, in milliseconds. */
  async #look({ isFirst }: { isFirst: boolean }): Promise<number> {
    try {
      const [messages, dead] = await Promise.all([
        this.#with.api.attributes('messages'),
        this.#with.api.attributes('dead letters'),
      ]);
      this.#limits = readLimits(messages);
      const faults = judgeQueues(
        { name: this.#with.api.nameOf('messages'), attributes: messages },
        { name: this.#with.api.nameOf('dead letters'), attributes: dead },
      );
      const fatal = faults.filter((fault) => fault.isFatal).map((fault) => fault.text);
      for (const queue of ['messages', 'dead letters'] as const) {
        const owner = await readOtherOwner(this.#with.api, queue, this.#with.installation);
        if (owner === null) continue;
        const text = otherOwnerText(this.#with.api.nameOf(queue), owner, this.#with.installation);
        fatal.push(text);
        if (!isFirst) this.#with.obstacle.found(text);
      }
      this.#with.outage.worked('look');
      if (isFirst && fatal.length > 0) throw new SqsSetupError(`Amazon SQS: ${fatal.join('; ')}`);
      this.#isKnown = true;
      const texts = new Set(faults.map((fault) => fault.text));
      for (const text of texts) if (!this.#logged.has(text)) this.#with.log.warn(`Amazon SQS: ${text}`);
      this.#logged = texts;
      return LOOK_MS;
    } catch (error) {
      if (error instanceof SqsSetupError) throw error;
      if (isFirst && error instanceof SqsError && error.failure === 'missing queue') {
        throw new SqsSetupError(
          `Amazon SQS: a queue is missing: ${error.message}. "coursewire queues create" creates both`,
          { cause: error },
        );
      }
      return this.#task?.signal.aborted ? 0 : this.#with.outage.failed('look', error);
    }
  }
}
