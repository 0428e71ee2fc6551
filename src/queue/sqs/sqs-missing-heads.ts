import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transaction } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { type OverdueHead, readOverdue } from './sqs-head-statements.ts';
import { moveRedriven, type RecordDeadLettered } from './sqs-redrive.ts';
import type { SqsCall } from './sqs-settler.ts';
import { forwardAnew } from './sqs-statements.ts';

/** Between looks: a fraction of the time after which a head counts as missing, within bounds. */
const LOOKS_WITHIN_OVERDUE = 4;
const LOOK_MIN_MS = 100;
const LOOK_MAX_MS = 5_000;
/** Lines of such heads that are seen to at a time. */
const LINES_A_LOOK = 200;

/**
 * Looks for heads that were due for long while calls for messages found nothing: they have left the queue by ways that
 * nobody told of. It looks on a timer of its own, since nothing arrives that could wake anybody.
 */
export class SqsMissingHeads implements AsyncDisposable {
  readonly #database: Database;
  readonly #emptySince: () => number;
  readonly #overdueMs: number;
  readonly #maxReceives: () => number;
  readonly #recordDeadLettered: RecordDeadLettered;
  readonly #tell: (calls: readonly SqsCall[]) => void;
  readonly #forward: () => void;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;

  constructor(dependencies: {
    database: Database;
    /** The beginning of the latest call that found nothing, in epoch milliseconds. */
    emptySince: () => number;
    /**
     * How long a due head may be missing from the queue before it is sent again: longer than a message stays hidden that
     * somebody received who then died.
     */
    overdueMs: number;
    /** The queue's redrive maximum, as it is now. */
    maxReceives: () => number;
    recordDeadLettered: RecordDeadLettered;
    /** Has Amazon SQS told, once the database has committed. */
    tell: (calls: readonly SqsCall[]) => void;
    /** Wakes the forwarder. */
    forward: () => void;
    log: Logger;
    now: () => number;
  }) {
    this.#database = dependencies.database;
    this.#emptySince = dependencies.emptySince;
    this.#overdueMs = dependencies.overdueMs;
    this.#maxReceives = dependencies.maxReceives;
    this.#recordDeadLettered = dependencies.recordDeadLettered;
    this.#tell = dependencies.tell;
    this.#forward = dependencies.forward;
    this.#log = dependencies.log;
    this.#now = dependencies.now;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const pause = Math.max(LOOK_MIN_MS, Math.min(LOOK_MAX_MS, this.#overdueMs / LOOKS_WITHIN_OVERDUE));
    while (!signal.aborted) {
      await delay(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#look();
      } catch (error) {
        this.#log.warn('messages that left Amazon SQS could not be looked for: the database failed', {
          error,
        });
      }
    }
  }

  async #look(): Promise<void> {
    const search = { before: this.#emptySince() - this.#overdueMs, limit: LINES_A_LOOK };
    // Mostly there are none: that costs one read, and no transaction.
    if ((await readOverdue(this.#database.reader, { ...search, limit: 1 })).length === 0) return;
    const overdue = await this.#database.transaction(async (tx) => {
      const found = await readOverdue(tx, { ...search, lock: true });
      await this.#seeTo(tx, found);
      return found;
    });
    // A copy that is hidden all the same would keep back its whole group, the new copy too.
    this.#tell(
      overdue.flatMap(({ receiptHandle }): SqsCall[] =>
        receiptHandle === null ? [] : [{ do: 'delete', receiptHandle }],
      ),
    );
    if (overdue.length > 0) this.#forward();
  }

  /** Heads over which processes died as often as may be are dead letters; the others are sent again. */
  async #seeTo(tx: Transaction, overdue: readonly OverdueHead[]): Promise<void> {
    const now = this.#now();
    const maxReceives = this.#maxReceives();
    const lost: number[] = [];
    for (const { lineId, receives, receiveCount, wasOut } of overdue) {
      const movedBySqs = receives >= maxReceives;
      // What Amazon SQS counted last may have gone unseen, with the process that died: attempts are counted here, too.
      if (wasOut && (movedBySqs || receiveCount >= maxReceives))
        await moveRedriven(tx, lineId, { now, recordDeadLettered: this.#recordDeadLettered, movedBySqs });
      else lost.push(lineId);
    }
    await forwardAnew(tx, lost, now);
  }
}
