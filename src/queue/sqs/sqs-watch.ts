import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../observability/log.ts';
import type { SqsApi } from './sqs-api.ts';
import { judgeQueues, type QueueLimits, readLimits } from './sqs-attributes.ts';
import { SqsError, SqsSetupError } from './sqs-error.ts';
import type { SqsOutage } from './sqs-outage.ts';
import { otherOwnerText, readOtherOwner, type SqsObstacle } from './sqs-owner.ts';

/** Between looks at the queues while all is well. */
const LOOK_MS = 3 * 60_000;
/** How long the first look may hold up the start. */
const FIRST_LOOK_MS = 10_000;

/**
 * Looks at the queues at start and every few minutes: that they exist, are this installation's and are set up well, and how
 * often a message may be received. Each fault is logged once.
 */
export class SqsWatch implements AsyncDisposable {
  readonly #api: SqsApi;
  readonly #outage: SqsOutage;
  readonly #obstacle: SqsObstacle;
  readonly #log: Logger;
  readonly #installation: string;
  readonly #defaultMaxReceives: number;
  readonly #stop = new AbortController();
  #logged = new Set<string>();
  #limits: QueueLimits = { maxReceives: null, maxBytes: 262_144 };
  #running: Promise<void> | null = null;
  #isKnown = false;

  constructor(dependencies: {
    api: SqsApi;
    outage: SqsOutage;
    obstacle: SqsObstacle;
    log: Logger;
    installation: string;
    /** For a queue without a redrive policy. */
    defaultMaxReceives: number;
  }) {
    this.#api = dependencies.api;
    this.#outage = dependencies.outage;
    this.#obstacle = dependencies.obstacle;
    this.#log = dependencies.log;
    this.#installation = dependencies.installation;
    this.#defaultMaxReceives = dependencies.defaultMaxReceives;
  }

  /** How often a message may be received, by the queue's redrive policy. */
  get maxReceives(): number {
    return this.#limits.maxReceives ?? this.#defaultMaxReceives;
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
      await this.#api.region();
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
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let pause = this.#isKnown ? LOOK_MS : 1_000;
    while (!this.#stop.signal.aborted) {
      await delay(pause, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      if (this.#stop.signal.aborted) return;
      pause = await this.#look({ isFirst: false });
    }
  }

  /** Looks, and answers when to look again, in milliseconds. */
  async #look({ isFirst }: { isFirst: boolean }): Promise<number> {
    try {
      const [messages, dead] = await Promise.all([
        this.#api.attributes('messages'),
        this.#api.attributes('dead letters'),
      ]);
      this.#limits = readLimits(messages);
      const faults = judgeQueues(
        { name: this.#api.nameOf('messages'), attributes: messages },
        { name: this.#api.nameOf('dead letters'), attributes: dead },
      );
      const fatal = faults.filter((fault) => fault.isFatal).map((fault) => fault.text);
      for (const queue of ['messages', 'dead letters'] as const) {
        const owner = await readOtherOwner(this.#api, queue, this.#installation);
        if (owner === null) continue;
        const text = otherOwnerText(this.#api.nameOf(queue), owner, this.#installation);
        fatal.push(text);
        if (!isFirst) this.#obstacle.found(text);
      }
      this.#outage.worked('look');
      if (isFirst && fatal.length > 0) throw new SqsSetupError(`Amazon SQS: ${fatal.join('; ')}`);
      this.#isKnown = true;
      const texts = new Set(faults.map((fault) => fault.text));
      for (const text of texts) if (!this.#logged.has(text)) this.#log.warn(`Amazon SQS: ${text}`);
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
      return this.#stop.signal.aborted ? 0 : this.#outage.failed('look', error);
    }
  }
}
