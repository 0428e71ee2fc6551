import { readFact, setFact } from '../../database/facts.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { NO_REGION, SqsError, SqsSetupError } from './sqs-error.ts';
import type { SqsContext } from './sqs-health.ts';
import { claimQueues, DEFAULT_MAX_BYTES, inspectQueues, type QueueInspection } from './sqs-queues.ts';

/** The interval between checks of working queues. */
const CHECK_MS = 3 * MINUTE_MS;
/** The interval between checks during an outage: an instance that does not poll may have no other request to make. */
const OUTAGE_CHECK_MS = 2_000;

/**
 * Checks the queues at the start, every few minutes, and often during an outage: that they exist, belong to this
 * installation and are set up correctly. Reads their limits. Each warning is logged once.
 */
export class SqsWatch implements AsyncDisposable {
  readonly #with: SqsContext;
  #queues: QueueInspection = {
    fatal: [],
    warnings: [],
    unowned: [],
    maxReceives: null,
    maxBytes: { messages: DEFAULT_MAX_BYTES, 'dead letters': DEFAULT_MAX_BYTES },
  };
  /** The redrive maximum in the database. */
  #kept: number | null = null;
  /** By a clock that nobody sets. */
  #checkAt = 0;
  #pauseMs = OUTAGE_CHECK_MS;
  #task: BackgroundTask | null = null;

  constructor(context: SqsContext) {
    this.#with = context;
  }

  /**
   * The state of the queues at the last check that found them usable. Before the first one, it has the redrive maximum
   * in the database.
   */
  get queues(): QueueInspection {
    return this.#queues;
  }

  /**
   * Checks for the first time, and then periodically. Queues that cannot be reached do not prevent the start: messages
   * wait in the database, and are delivered without copies.
   * @throws {SqsSetupError} if a queue is missing, not FIFO or another installation's, or no region is set
   */
  async start(): Promise<void> {
    const { api, database, health } = this.#with;
    this.#kept = JSON.parse((await readFact(database.reader, this.#maximumName)) ?? 'null');
    this.#queues = { ...this.#queues, maxReceives: this.#kept };
    await api.region().catch((cause: unknown) => {
      throw new SqsSetupError(`Amazon SQS: ${NO_REGION}`, { cause });
    });
    try {
      await this.#check();
    } catch (error) {
      if (error instanceof SqsSetupError) throw error;
      if (error instanceof SqsError && error.failure === 'missing queue') {
        const text = `a queue is missing: ${error.message}. "coursewire queues create" creates both`;
        throw new SqsSetupError(`Amazon SQS: ${text}`, { cause: error });
      }
      this.#pauseMs = health.failed(error);
    }
    this.#task = new BackgroundTask({
      firstPauseMs: this.#pauseMs,
      round: () => this.#checkIfDue(),
      pauseMs: () => this.#pauseMs,
      onError: (error) => {
        if (error instanceof SqsSetupError) health.forbid(error.message);
        else this.#pauseMs = health.failed(error);
      },
    });
    this.#task.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task?.[Symbol.asyncDispose]();
  }

  /** The name of the fact that has the redrive maximum, for starts during an outage of Amazon SQS. */
  get #maximumName(): string {
    return `sqs_redrive_maximum ${this.#with.api.nameOf('messages')}`;
  }

  async #checkIfDue(): Promise<number> {
    if (this.#with.health.isFailing || performance.now() >= this.#checkAt) await this.#check();
    return OUTAGE_CHECK_MS;
  }

  /** @throws {SqsSetupError} if the queues cannot be used */
  async #check(): Promise<void> {
    const { api, health, log, installation } = this.#with;
    const { warnings } = this.#queues;
    const queues = await inspectQueues(api, installation);
    health.worked();
    this.#checkAt = performance.now() + CHECK_MS;
    if (queues.fatal.length > 0) throw new SqsSetupError(`Amazon SQS: ${queues.fatal.join('; ')}`);
    this.#queues = queues;
    await this.#keepMaximum();
    for (const text of queues.warnings) if (!warnings.includes(text)) log.warn(`Amazon SQS: ${text}`);
    await claimQueues(api, installation, queues.unowned);
  }

  async #keepMaximum(): Promise<void> {
    const { database } = this.#with;
    const { maxReceives } = this.#queues;
    if (maxReceives === this.#kept) return;
    try {
      await database.transaction((tx) => setFact(tx, this.#maximumName, JSON.stringify(maxReceives)));
      this.#kept = maxReceives;
    } catch {
      // The database failed, which is reported elsewhere. The next check tries again.
    }
  }
}
