import type { Database } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import type { QueuedMessage } from '../message-queue.ts';
import type { QueueKind, SqsApi } from './sqs-api.ts';
import { toBatches, toSqsMessage } from './sqs-message.ts';
import type { SqsOutage } from './sqs-outage.ts';
import {
  type Claim,
  claimDeadLetters,
  claimLines,
  noteCopied,
  notePlaced,
  readIdle,
  readUnplaced,
  readUnplacedLines,
} from './sqs-statements.ts';

/** Lines in a round, and messages of each. */
const LINES_A_ROUND = 50;
const MESSAGES_OF_A_LINE = 10;
/** Rounds are this far apart under load, so that batches fill. */
const ROUND_MS = 10;
/** How long a line is one placer's alone: longer than a request and its second try take. */
const CLAIM_MS = 40_000;
/** Between looks for what nobody placed: left by a process that died, or queued under other settings. */
const LOOK_MS = 30_000;
const CLAIMED_PAUSE_MS = 20;
const DATABASE_PAUSE_MS = 1_000;

/** What the placer works with. */
export interface SqsPlacerDependencies {
  database: Database;
  api: SqsApi;
  outage: SqsOutage;
  log: Logger;
  installation: string;
  /** Whether this instance takes messages up. One that does not places all of them, another a bounded number of each line. */
  polls: boolean;
  /** The limit on a message's size. */
  maxBytes: () => number;
  now: () => number;
}

/**
 * Copies messages from the database to Amazon SQS: in tens, each line's in order. Copies are hints, so those of a line that
 * is being worked on are not needed, and a copy that Amazon SQS refuses holds nothing up. Dead letters are copied to
 * their queue. Any number of instances place at once.
 */
export class SqsPlacer implements AsyncDisposable {
  readonly #with: SqsPlacerDependencies;
  /** Lines with messages to place. */
  #lines = new Set<number>();
  #hasDeadLetters = true;
  #lookAt = 0;
  readonly #task = new BackgroundTask({
    round: () => this.#round(),
    pauseMs: DATABASE_PAUSE_MS,
    onError: (error) =>
      this.#with.log.warn('messages could not be placed on Amazon SQS: the database failed', { error }),
  });

  constructor(dependencies: SqsPlacerDependencies) {
    this.#with = dependencies;
  }

  start(): void {
    this.#task.start();
  }

  /** Places soon what was queued to lines. */
  addLines(lineIds: Iterable<number>): void {
    for (const lineId of lineIds) this.#lines.add(lineId);
    this.#task.wake();
  }

  /** Copies soon what died. */
  addDeadLetters(): void {
    this.#hasDeadLetters = true;
    this.#task.wake();
  }

  /** Places nothing more. */
  end(): void {
    this.#task.end();
  }

  /** Ends, and waits for what is being sent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  /** Answers how long there is nothing to do, in milliseconds. */
  async #round(): Promise<number> {
    if (this.#with.now() >= this.#lookAt) await this.#look();
    await this.#task.pause(Math.max(ROUND_MS, await this.#placeRound(), await this.#copyDeadLetters()));
    if (this.#lines.size > 0 || this.#hasDeadLetters) return 0;
    return Math.max(1, this.#lookAt - this.#with.now());
  }

  async #look(): Promise<void> {
    this.#lookAt = this.#with.now() + LOOK_MS;
    this.#hasDeadLetters = true;
    // A line that waits when this instance polls is found by its due time.
    if (!this.#with.polls)
      for (const lineId of await readUnplacedLines(this.#with.database.reader)) this.#lines.add(lineId);
  }

  /** Answers how long to pause, in milliseconds. */
  async #placeRound(): Promise<number> {
    if (this.#lines.size === 0) return 0;
    const lineIds = [...this.#lines].slice(0, LINES_A_ROUND);
    for (const lineId of lineIds) this.#lines.delete(lineId);
    const { claims, claimed, messages } = await this.#claim(lineIds).catch((error: unknown) => {
      for (const lineId of lineIds) this.#lines.add(lineId);
      throw error;
    });
    for (const lineId of claimed) this.#lines.add(lineId);
    if (claims.length === 0) return claimed.length > 0 ? CLAIMED_PAUSE_MS : 0;
    const { isDone, pause } = await this.#send('messages', messages);
    const placedTo = new Map(claims.map((claim) => [claim.lineId, claim.placedTo]));
    const counts = new Map<number, number>();
    const stopped = new Set<number>();
    for (const [place, { lineId, position }] of messages.entries()) {
      counts.set(lineId, (counts.get(lineId) ?? 0) + 1);
      if (!isDone[place]) stopped.add(lineId);
      if (!stopped.has(lineId)) placedTo.set(lineId, position);
    }
    await this.#with.database.transaction(
      (tx) =>
        notePlaced(
          tx,
          [...placedTo].map(([lineId, to]) => ({ lineId, placedTo: to })),
        ),
      { durability: 'deferred' },
    );
    for (const lineId of stopped) this.#lines.add(lineId);
    // An instance that polls places the rest of a long line never: it is worked on from here.
    if (!this.#with.polls)
      for (const [lineId, count] of counts) if (count === MESSAGES_OF_A_LINE) this.#lines.add(lineId);
    return pause;
  }

  async #claim(
    lineIds: readonly number[],
  ): Promise<{ claims: Claim[]; claimed: number[]; messages: QueuedMessage[] }> {
    const now = this.#with.now();
    const share = { share: MESSAGES_OF_A_LINE, isBounded: this.#with.polls };
    const { reader } = this.#with.database;
    if (reader.dialect === 'sqlite') {
      // Nobody else places: a transaction would only wait for others' commits.
      const claims = await readIdle(reader, lineIds, now);
      return { claims, claimed: [], messages: await readUnplaced(reader, claims, share) };
    }
    return await this.#with.database.transaction(
      async (tx) => {
        const { claims, claimed } = await claimLines(tx, lineIds, { now, until: now + CLAIM_MS });
        return { claims, claimed, messages: await readUnplaced(tx, claims, share) };
      },
      { durability: 'deferred' },
    );
  }

  async #copyDeadLetters(): Promise<number> {
    if (!this.#hasDeadLetters) return 0;
    this.#hasDeadLetters = false;
    const now = this.#with.now();
    const dead = await this.#with.database.transaction((tx) =>
      claimDeadLetters(tx, { now, until: now + CLAIM_MS, limit: LINES_A_ROUND }),
    );
    if (dead.length === 0) return 0;
    const sorted = dead.toSorted((a, b) => a.lineId - b.lineId || a.position - b.position);
    const { isDone, pause } = await this.#send('dead letters', sorted);
    await this.#with.database.transaction((tx) =>
      noteCopied(
        tx,
        sorted.map(({ position }, place) => ({
          id: position,
          copyAt: isDone[place] ? null : this.#with.now(),
        })),
      ),
    );
    this.#hasDeadLetters = true;
    return pause;
  }

  /** Sends copies of messages, sorted by line; answers for each whether it is done with, and how long to pause. */
  async #send(
    queue: QueueKind,
    messages: readonly QueuedMessage[],
  ): Promise<{ isDone: boolean[]; pause: number }> {
    const options = {
      installation: this.#with.installation,
      maxBytes: this.#with.maxBytes(),
      isDead: queue === 'dead letters',
    };
    const copies = messages.map((message) => toSqsMessage(message, options));
    const isDone = copies.map(() => false);
    let pause = 0;
    await Promise.all(
      toBatches(copies).map(async (places) => {
        try {
          const results = await this.#with.api.send(
            queue,
            places.map((place) => copies[place]!),
          );
          this.#with.outage.worked('send');
          for (const [index, failed] of results.entries()) {
            const place = places[index]!;
            isDone[place] = failed === null || failed.isOurs;
            if (failed?.isOurs) this.#sayRefused(messages[place]!, failed.code);
            else if (failed !== null) pause = this.#with.outage.failed('send', new Error(failed.code));
          }
        } catch (error) {
          pause = Math.max(pause, this.#with.outage.failed('send', error));
        }
      }),
    );
    return { isDone, pause };
  }

  #sayRefused({ messageId, lineId }: QueuedMessage, code: string): void {
    this.#with.log.error('Amazon SQS refused the copy of a message, which is delivered without it', {
      reason: code,
      message_id: messageId,
      webhook_id: lineId,
    });
  }
}
