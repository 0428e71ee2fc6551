import { BackgroundTask } from '../../time/background-task.ts';
import type { QueuedMessage } from '../message-queue.ts';
import type { QueueKind } from './sqs-api.ts';
import type { SqsContext } from './sqs-context.ts';
import { toBatches, toSqsMessage } from './sqs-message.ts';
import { noteCopied, notePlaced, readUncopied, readUnplaced, readUnplacedLines } from './sqs-statements.ts';

/** Lines in a round, and messages of each. */
const LINES_A_ROUND = 50;
const MESSAGES_OF_A_LINE = 10;
/** Rounds are this far apart under load, so that batches fill. */
const ROUND_MS = 10;
/** Between looks for what nobody placed: left by a process that died, or queued under other settings. */
const LOOK_MS = 30_000;
const DATABASE_PAUSE_MS = 1_000;

/**
 * Copies messages from the database to Amazon SQS: in tens, each line's in order, and dead letters to their queue. Any number
 * of instances do so at once: of the copies that two send of a message, Amazon SQS takes the first.
 */
export class SqsPlacer implements AsyncDisposable {
  readonly #with: SqsContext & { maxBytes: () => number };
  /** Lines with messages to copy. */
  readonly #lines = new Set<number>();
  #hasDeadLetters = true;
  #lookAt = 0;
  readonly #task = new BackgroundTask({
    round: () => this.#round(),
    pauseMs: DATABASE_PAUSE_MS,
    onError: (error) =>
      this.#with.log.warn('messages could not be placed on Amazon SQS: the database failed', { error }),
  });

  constructor(context: SqsContext & { maxBytes: () => number }) {
    this.#with = context;
    context.health.stop.addEventListener('abort', () => this.#task.end());
  }

  start(): void {
    if (!this.#with.health.stop.aborted) this.#task.start();
  }

  /** Copies soon what was queued to lines. */
  addLines(lineIds: Iterable<number>): void {
    for (const lineId of lineIds) this.#lines.add(lineId);
    this.#task.wake();
  }

  /** Copies soon what died. */
  addDeadLetters(): void {
    this.#hasDeadLetters = true;
    this.#task.wake();
  }

  /** Ends, and waits for what is being sent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  /** Answers how long there is nothing to do, in milliseconds. */
  async #round(): Promise<number> {
    const { now, polls, database } = this.#with;
    if (now() >= this.#lookAt) {
      this.#lookAt = now() + LOOK_MS;
      this.#hasDeadLetters = true;
      // Where messages are delivered, lines are found by their due times.
      if (!polls) for (const lineId of await readUnplacedLines(database.reader)) this.#lines.add(lineId);
    }
    await this.#placeLines();
    if (this.#hasDeadLetters) await this.#copyDeadLetters();
    await this.#task.pause(ROUND_MS);
    return this.#lines.size > 0 || this.#hasDeadLetters ? 0 : Math.max(1, this.#lookAt - now());
  }

  async #placeLines(): Promise<void> {
    const { database, polls, now } = this.#with;
    const lineIds = [...this.#lines].slice(0, LINES_A_ROUND);
    for (const lineId of lineIds) this.#lines.delete(lineId);
    try {
      const limits = { limit: MESSAGES_OF_A_LINE, isBounded: polls, now: now() };
      const messages = await readUnplaced(database.reader, lineIds, limits);
      const failed = await this.#send('messages', messages);
      const unfinished = new Set<number>();
      const placed = messages.filter((message) => {
        if (failed.has(message)) unfinished.add(message.lineId);
        return !unfinished.has(message.lineId);
      });
      if (placed.length > 0)
        await database.transaction((tx) => notePlaced(tx, placed), { durability: 'deferred' });
      for (const lineId of unfinished) this.#lines.add(lineId);
      // Where messages are delivered, the rest of a long line needs no copies.
      if (!polls) for (const { lineId } of placed) this.#lines.add(lineId);
    } catch (error) {
      for (const lineId of lineIds) this.#lines.add(lineId);
      throw error;
    }
  }

  async #copyDeadLetters(): Promise<void> {
    const { database, now } = this.#with;
    this.#hasDeadLetters = false;
    const dead = await readUncopied(database.reader, { now: now(), limit: LINES_A_ROUND });
    const failed = await this.#send('dead letters', dead);
    const copied = dead.filter((message) => !failed.has(message));
    if (copied.length > 0) await database.transaction((tx) => noteCopied(tx, copied));
    if (dead.length > 0) this.#hasDeadLetters = true;
  }

  /** Sends copies and answers the messages that are to be sent again; pauses if the queue fails. */
  async #send(queue: QueueKind, messages: readonly QueuedMessage[]): Promise<Set<QueuedMessage>> {
    const { health, installation, maxBytes } = this.#with;
    const options = { installation, maxBytes: maxBytes(), isDead: queue === 'dead letters' };
    const unsent = new Map(messages.map((message) => [toSqsMessage(message, options), message]));
    const kind = `send ${queue}`;
    let pauseMs = 0;
    await Promise.all(
      toBatches([...unsent.keys()], maxBytes()).map(async (batch) => {
        try {
          const failed = await this.#with.api.send(queue, batch);
          const error = failed.find(({ isOurs }) => !isOurs);
          if (error !== undefined) pauseMs = health.failed(kind, new Error(error.code));
          else health.worked(kind);
          for (const [index, copy] of batch.entries()) {
            const failure = failed.find((each) => each.index === index);
            if (failure?.isOurs) this.#logRefused(unsent.get(copy)!, failure.code);
            if (failure === undefined || failure.isOurs) unsent.delete(copy);
          }
        } catch (error) {
          pauseMs = health.failed(kind, error);
        }
      }),
    );
    await this.#task.pause(pauseMs);
    return new Set(unsent.values());
  }

  #logRefused({ messageId, lineId }: QueuedMessage, code: string): void {
    this.#with.log.error('Amazon SQS refused the copy of a message, which is delivered without it', {
      reason: code,
      message_id: messageId,
      webhook_id: lineId,
    });
  }
}
