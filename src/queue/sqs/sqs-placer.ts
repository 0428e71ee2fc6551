import { performance } from 'node:perf_hooks';
import { MIB } from '../../bytes.ts';
import { readAroundDamage } from '../../database/damage.ts';
import { fitting } from '../../database/step-bytes.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { TimeSlices } from '../../time/time-slices.ts';
import type { QueueKind } from './sqs-api.ts';
import type { SqsContext } from './sqs-health.ts';
import { type CopiedMessage, type SqsMessage, toBatches, toSqsMessage } from './sqs-message.ts';
import {
  notePlaced,
  notePlacedDeadLetters,
  readMessages,
  readUnplaced,
  readUnplacedDeadLetterSizes,
  readUnplacedDeadLetters,
  readWaitingLines,
} from './sqs-statements.ts';

const LINES_PER_ROUND = 50;
/** Maximum size of the bodies of a round, because all of them are in memory, in several forms. */
const ROUND_BYTES = 4 * MIB;
/** The pause between rounds under load, so that batches fill. */
const ROUND_MS = 10;
/** The interval between searches for messages without copies, from a process that died or had other settings. */
const SEARCH_MS = 30_000;
/** The interval between searches for dead letters. */
const DEAD_LETTERS_MS = 1_000;
const DATABASE_PAUSE_MS = 1_000;
const REFUSED = {
  messages: 'Amazon SQS refused copies of messages, which are delivered without them',
  'dead letters': 'Amazon SQS refused copies of dead letters, which are only in the database',
} as const;

/** A damaged message gets no copy. */
const withoutCopy = () => [];

/** Dependencies of the placer. */
export interface SqsPlacerOptions extends SqsContext {
  /** Maximum size of a copy in bytes, including attributes. */
  maxBytes: (queue: QueueKind) => number;
  /** False while the queue of messages must become empty. */
  mayPlace: () => Promise<boolean>;
}

/**
 * Places copies of messages on Amazon SQS, in batches of ten, in order within each line. Places copies of dead letters
 * on their queue. Several instances may do so at the same time, because Amazon SQS ignores the second copy of a
 * message.
 */
export class SqsPlacer implements AsyncDisposable {
  readonly #with: SqsPlacerOptions;
  /** Lines with messages that may need copies. */
  readonly #lines = new Set<number>();
  /** By a clock that nobody sets. */
  #searchAt = 0;
  readonly #messages = this.#taskOf(() => this.#placeMessages());
  readonly #deadLetters = this.#taskOf(() => this.#placeDeadLetters());

  constructor(options: SqsPlacerOptions) {
    this.#with = options;
  }

  start(): void {
    this.#messages.start();
    this.#deadLetters.start();
  }

  /** Places copies of the messages of these lines soon. */
  place(lineIds: Iterable<number>): void {
    for (const lineId of lineIds) this.#lines.add(lineId);
    this.#messages.wake();
  }

  /** Ends, and waits for requests in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#messages[Symbol.asyncDispose](), this.#deadLetters[Symbol.asyncDispose]()]);
  }

  #taskOf(round: () => Promise<number>): BackgroundTask {
    return new BackgroundTask({
      round,
      pauseMs: DATABASE_PAUSE_MS,
      // The database failed, which is reported elsewhere. The search finds the messages without copies.
      onError: () => {
        this.#searchAt = 0;
      },
    });
  }

  /** Returns how long there will be nothing to do, in milliseconds. */
  async #placeMessages(): Promise<number> {
    const { database, health, polls, mayPlace, now } = this.#with;
    if (health.obstacle !== null) return Number.POSITIVE_INFINITY;
    if (!(await mayPlace())) return DATABASE_PAUSE_MS;
    if (performance.now() >= this.#searchAt) {
      this.#searchAt = performance.now() + SEARCH_MS;
      // An instance that polls finds lines without copies by their due times.
      if (!polls) for (const lineId of await readWaitingLines(database.reader)) this.#lines.add(lineId);
    }
    const lineIds = [...this.#lines].slice(0, LINES_PER_ROUND);
    for (const lineId of lineIds) this.#lines.delete(lineId);
    const unplaced = await readUnplaced(database.reader, lineIds, { isBounded: polls, now: now() });
    const part = fitting(unplaced, ROUND_BYTES);
    const messages = await readAroundDamage(part, (some) => readMessages(database.reader, some), withoutCopy);
    const { unsent, pauseMs } = await this.#send('messages', messages);
    // These are the first messages of their lines, because all copies of a line that are sent now are in one batch, in
    // order.
    const placed = messages.filter((message) => !unsent.has(message));
    if (placed.length > 0)
      await database.transaction((tx) => notePlaced(tx, placed), { durability: 'deferred' });
    // If this instance delivers, the rest of a long line needs no copies.
    for (const { lineId } of polls ? unsent : messages) this.#lines.add(lineId);
    for (const { lineId } of unplaced.slice(part.length)) this.#lines.add(lineId);
    await this.#messages.pause(Math.max(ROUND_MS, pauseMs));
    return this.#lines.size > 0 ? 0 : Math.max(1, this.#searchAt - performance.now());
  }

  async #placeDeadLetters(): Promise<number> {
    const { database, health } = this.#with;
    if (health.obstacle !== null) return Number.POSITIVE_INFINITY;
    const sizes = await readUnplacedDeadLetterSizes(database.reader, LINES_PER_ROUND);
    if (sizes.length === 0) return DEAD_LETTERS_MS;
    const dead = await readAroundDamage(
      fitting(sizes, ROUND_BYTES),
      (some) => readUnplacedDeadLetters(database.reader, some),
      withoutCopy,
    );
    const { unsent, pauseMs } = await this.#send('dead letters', dead);
    const placed = dead.filter((message) => !unsent.has(message));
    if (placed.length > 0) await database.transaction((tx) => notePlacedDeadLetters(tx, placed));
    return Math.max(pauseMs, placed.length > 0 ? 0 : DEAD_LETTERS_MS);
  }

  /** Sends copies. Returns the messages to send again, and how long to pause before that, in milliseconds. */
  async #send<M extends CopiedMessage>(
    queue: QueueKind,
    messages: readonly M[],
  ): Promise<{ unsent: Set<M>; pauseMs: number }> {
    const { api, health, log, installation } = this.#with;
    const maxBytes = this.#with.maxBytes(queue);
    const slices = new TimeSlices();
    slices.begin();
    const copies = new Map<SqsMessage, M>();
    for (const message of messages) {
      await slices.pause();
      copies.set(toSqsMessage(message, { installation, maxBytes }), message);
    }
    const unsent = new Set(messages);
    let pauseMs = 0;
    const sendBatch = async (batch: readonly SqsMessage[]) => {
      try {
        const refused = await api.send(queue, batch);
        if (refused.length > 0)
          log.error(REFUSED[queue], {
            reason: [...new Set(refused.map(({ reason }) => reason))].join(', '),
            message_ids: refused.map(({ message }) => copies.get(message)?.messageId),
          });
        for (const copy of batch) unsent.delete(copies.get(copy)!);
        health.worked();
      } catch (error) {
        pauseMs = health.failed(error);
      }
    };
    const sends: Promise<void>[] = [];
    for (const batch of toBatches([...copies.keys()], maxBytes)) {
      // Preparing a request of 1 MiB takes a slice.
      await slices.next();
      sends.push(sendBatch(batch));
    }
    await Promise.all(sends);
    return { unsent, pauseMs };
  }
}
