import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../observability/log.ts';
import type { SqsApi } from './sqs-api.ts';
import { judgeQueues, type QueueLimits, readLimits } from './sqs-attributes.ts';
import { SqsError, SqsSetupError } from './sqs-error.ts';
import type { SqsOutage } from './sqs-outage.ts';

/** Between looks at the queues while all is well. */
const LOOK_MS = 3 * 60_000;
/** How long the first look may hold up the start. */
const FIRST_LOOK_MS = 10_000;

/**
 * Looks at the queues at start and every few minutes: that they are there and as they should be, and how often a
 * message may be received. What is wrong is said once.
 */
export class SqsWatch implements AsyncDisposable {
  readonly #api: SqsApi;
  readonly #outage: SqsOutage;
  readonly #log: Logger;
  readonly #visibilitySeconds: number;
  readonly #defaultMaxReceives: number;
  readonly #stop = new AbortController();
  readonly #said = new Set<string>();
  #limits: QueueLimits = { maxReceives: null, maxBytes: 262_144 };
  #running: Promise<void> | null = null;
  #isKnown = false;

  constructor(dependencies: {
    api: SqsApi;
    outage: SqsOutage;
    log: Logger;
    /** How long a message must stay hidden while it is delivered. */
    visibilitySeconds: number;
    /** For a queue without a redrive policy. */
    defaultMaxReceives: number;
  }) {
    this.#api = dependencies.api;
    this.#outage = dependencies.outage;
    this.#log = dependencies.log;
    this.#visibilitySeconds = dependencies.visibilitySeconds;
    this.#defaultMaxReceives = dependencies.defaultMaxReceives;
  }

  /** How often a message may be received, by the queue's redrive policy. */
  get maxReceives(): number {
    return this.#limits.maxReceives ?? this.#defaultMaxReceives;
  }

  /** Bytes of a message at most. */
  get maxBytes(): number {
    return this.#limits.maxBytes;
  }

  /**
   * Looks for the first time and then goes on by itself. Queues that cannot be reached are no reason not to start: the API
   * works without them, and messages wait in the database.
   * @throws {SqsSetupError} when a queue is missing or not FIFO, or no region is set.
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
      this.#isKnown = true;
      this.#outage.worked('look');
      const faults = judgeQueues(
        { name: this.#api.nameOf('messages'), attributes: messages },
        { name: this.#api.nameOf('dead letters'), attributes: dead },
        { visibilitySeconds: this.#visibilitySeconds },
      );
      const fatal = faults.filter((fault) => fault.isFatal).map((fault) => fault.text);
      if (isFirst && fatal.length > 0) throw new SqsSetupError(`Amazon SQS: ${fatal.join('; ')}`);
      this.#sayOnce(faults.map((fault) => fault.text));
      return LOOK_MS;
    } catch (error) {
      if (error instanceof SqsSetupError) throw error;
      if (isFirst && error instanceof SqsError && error.failure === 'missing queue') {
        throw new SqsSetupError(
          `Amazon SQS: a queue is missing: ${error.message}. "coursewire queues create" makes both`,
          { cause: error },
        );
      }
      return this.#stop.signal.aborted ? 0 : this.#outage.failed('look', error);
    }
  }

  #sayOnce(texts: readonly string[]): void {
    for (const text of texts) if (!this.#said.has(text)) this.#log.warn(`Amazon SQS: ${text}`);
    this.#said.clear();
    for (const text of texts) this.#said.add(text);
  }
}
