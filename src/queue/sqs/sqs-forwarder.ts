import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transaction } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { lockLines } from '../database-queue-statements.ts';
import { copyToDeadLetters } from '../dead-letter-statements.ts';
import type { QueuedMessage } from '../message-queue.ts';
import { BATCH_BYTES, BATCH_ENTRIES, type QueueKind, type SqsApi } from './sqs-api.ts';
import { claimDeadLetters, noteDeadLettersSent } from './sqs-dead-letter-statements.ts';
import { ATTRIBUTES_BYTES, fitsInto, type SqsMessage, toSqsMessage } from './sqs-message.ts';
import type { SqsOutage } from './sqs-outage.ts';
import type { RecordDeadLettered } from './sqs-redrive.ts';
import {
  type Claim,
  claimForwarding,
  confirmForwarding,
  type Forwarded,
  letGo,
  lockFreeLines,
  readNextForwarding,
} from './sqs-statements.ts';

/** Lines that are sent of in a round, in batches of ten. */
const LINES_A_ROUND = 100;
/**
 * How long a line is one forwarder's alone. Longer than a request and its tries take; should a stalled one send later all
 * the same, the message's deduplication id makes it the same message for five minutes, and its position after that.
 */
const CLAIM_MS = 40_000;
/** Between looks when nothing is told: another instance may have left lines behind. */
const LOOK_MS = 5_000;
/** Before an entry is tried again that failed by itself. */
const ENTRY_PAUSE_MS = 1_000;
/** Before lines are noted that others had locked. */
const LOCKED_PAUSE_MS = 5;
/** What Amazon SQS, and servers like it, call a body with characters that they do not take. */
const UNREADABLE = new Set(['InvalidMessageContents', 'InvalidCharacters']);

/** A message on its way to a queue. */
interface Parcel {
  message: QueuedMessage;
  generation: number;
}

/**
 * Brings messages from the database to Amazon SQS: in the order of their lines, at most one message of a line in a
 * batch and the next one only when that is known to be there. A batch may fail in parts, and a follower must not
 * overtake. Dead letters go the same way to their queue. Any number of instances may forward at once.
 */
export class SqsForwarder implements AsyncDisposable {
  readonly #database: Database;
  readonly #api: SqsApi;
  readonly #outage: SqsOutage;
  readonly #log: Logger;
  readonly #share: number | null;
  readonly #maxBytes: () => number;
  readonly #recordDeadLettered: RecordDeadLettered;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  /** Positions of messages that the server refused for their characters. */
  readonly #ascii = new Set<number>();
  #running: Promise<void> | null = null;
  #wakeUp: (() => void) | null = null;
  #isWoken = false;

  constructor(dependencies: {
    database: Database;
    api: SqsApi;
    outage: SqsOutage;
    log: Logger;
    /** Messages of one line that may be on the queue at a time; null: all, and nothing is expected back. */
    share: number | null;
    /** The bound on a message's size, as the queue says it. */
    maxBytes: () => number;
    recordDeadLettered: RecordDeadLettered;
    now: () => number;
  }) {
    this.#database = dependencies.database;
    this.#api = dependencies.api;
    this.#outage = dependencies.outage;
    this.#log = dependencies.log;
    this.#share = dependencies.share;
    this.#maxBytes = dependencies.maxBytes;
    this.#recordDeadLettered = dependencies.recordDeadLettered;
    this.#now = dependencies.now;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Looks soon: something is to be forwarded. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  /** Sends nothing more; what is being sent is waited for. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    let forwarded: Forwarded[] = [];
    while (true) {
      let pause = 0;
      try {
        const { claims, looked, unnoted } = await this.#claim(forwarded);
        forwarded = unnoted;
        if (claims.length > 0) {
          const results = await this.#send('messages', claims);
          const sent = claims.map((claim, index) => ({ claim, retryAt: results.retryAt[index] ?? null }));
          forwarded = [...unnoted, ...sent];
          pause = results.pause;
        } else if (unnoted.length > 0) {
          pause = LOCKED_PAUSE_MS;
        } else if (this.#stop.signal.aborted) {
          return;
        }
        const dead = await this.#forwardDeadLetters();
        pause = Math.max(pause, dead.pause);
        if (looked === 0 && dead.count === 0 && forwarded.length === 0) await this.#sleep();
      } catch (error) {
        this.#log.warn('messages could not be forwarded: the database failed', { error });
        if (this.#stop.signal.aborted) return;
        pause = ENTRY_PAUSE_MS;
      }
      if (pause > 0) await delay(pause, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  /**
   * Notes how the last round went and takes the lines of the next one, in one transaction. Lines that others have locked at
   * this moment are noted with the next.
   */
  async #claim(
    forwarded: readonly Forwarded[],
  ): Promise<{ claims: Claim[]; looked: number; unnoted: Forwarded[] }> {
    return await this.#database.transaction(async (tx) => {
      const now = this.#now();
      const lineIds = forwarded.map(({ claim }) => claim.message.lineId);
      // Whoever queues holds the line before what is known of it here.
      if (this.#share === null) await lockLines(tx, lineIds);
      const free = await lockFreeLines(tx, lineIds);
      const unnoted = forwarded.filter(({ claim }) => !free.has(claim.message.lineId));
      const noted = forwarded.filter(({ claim }) => free.has(claim.message.lineId));
      const held = await confirmForwarding(tx, noted, now);
      if (this.#share === null) {
        const sent = new Set(noted.filter(({ retryAt }) => retryAt === null).map(({ claim }) => claim));
        const gone = held.filter((claim) => sent.has(claim)).map((claim) => claim.message);
        await letGo(tx, gone, now);
      }
      if (this.#stop.signal.aborted) return { claims: [], looked: 0, unnoted };
      const { claims, looked } = await claimForwarding(tx, {
        now,
        until: now + CLAIM_MS,
        token: randomUUID(),
        limit: LINES_A_ROUND,
        share: this.#share,
      });
      const fitting = this.#share === null ? await this.#withoutTooLong(tx, claims) : claims;
      return { claims: fitting, looked, unnoted };
    });
  }

  /**
   * Another program shall read the message itself, not a notice, so one that is too long for the queue can only be
   * dead-lettered. While the service polls, the database has the body, whatever its length.
   */
  async #withoutTooLong(tx: Transaction, claims: readonly Claim[]): Promise<Claim[]> {
    const [fitting, tooLong] = [true, false].map((fits) =>
      claims.filter(({ message }) => fitsInto(message.body, this.#maxBytes()) === fits),
    ) as [Claim[], Claim[]];
    if (tooLong.length === 0) return fitting;
    const now = this.#now();
    const messages = tooLong.map((claim) => claim.message);
    await confirmForwarding(
      tx,
      tooLong.map((claim) => ({ claim, retryAt: null })),
      now,
    );
    await copyToDeadLetters(
      tx,
      messages.map((message) => message.position),
      now,
    );
    await this.#recordDeadLettered(tx, messages, now);
    await letGo(tx, messages, now);
    tx.onCommit(() => {
      for (const message of messages) {
        this.#log.error('a message is too long for the queue: it is dead-lettered', {
          message_id: message.messageId,
          webhook_id: message.lineId,
        });
      }
    });
    return fitting;
  }

  async #forwardDeadLetters(): Promise<{ count: number; pause: number }> {
    if (this.#stop.signal.aborted) return { count: 0, pause: 0 };
    const now = this.#now();
    const dead = await this.#database.transaction((tx) =>
      claimDeadLetters(tx, { now, until: now + CLAIM_MS, limit: LINES_A_ROUND }),
    );
    if (dead.length === 0) return { count: 0, pause: 0 };
    const { retryAt, pause } = await this.#send(
      'dead letters',
      dead.map((message) => ({ message, generation: 0 })),
    );
    await this.#database.transaction((tx) =>
      noteDeadLettersSent(
        tx,
        dead.map((message, index) => ({
          messageId: message.messageId,
          position: message.position,
          sendAt: retryAt[index] ?? null,
        })),
      ),
    );
    return { count: dead.length, pause };
  }

  /** Sends parcels of lines of their own; answers for each when to try again, null when it arrived. */
  async #send(
    queue: QueueKind,
    parcels: readonly Parcel[],
  ): Promise<{ retryAt: (number | null)[]; pause: number }> {
    const retryAt: (number | null)[] = parcels.map(() => null);
    let pause = 0;
    const messages = parcels.map(({ message, generation }) =>
      toSqsMessage(message, {
        generation,
        ascii: this.#ascii.has(message.position),
        maxBytes: this.#maxBytes(),
        dead: queue === 'dead letters',
      }),
    );
    await Promise.all(
      toBatches(messages).map(async (batch) => {
        try {
          const results = await this.#api.send(
            queue,
            batch.map((index) => messages[index]!),
          );
          this.#outage.worked('send');
          for (const [place, failed] of results.entries()) {
            const index = batch[place]!;
            const { message } = parcels[index]!;
            if (failed === null) this.#ascii.delete(message.position);
            else retryAt[index] = this.#retryOf(message, failed.code, failed.isOurs);
          }
        } catch (error) {
          pause = Math.max(pause, this.#outage.failed('send', error));
          for (const index of batch) retryAt[index] = this.#now();
        }
      }),
    );
    return { retryAt, pause };
  }

  #retryOf(message: QueuedMessage, code: string, isOurs: boolean): number {
    if (UNREADABLE.has(code) && !this.#ascii.has(message.position)) {
      this.#ascii.add(message.position);
      return this.#now();
    }
    if (isOurs) {
      this.#log.error('Amazon SQS refused a message; its webhook waits until it is taken', {
        reason: code,
        message_id: message.messageId,
        webhook_id: message.lineId,
      });
    }
    this.#outage.failed('send', new Error(code));
    return this.#now() + ENTRY_PAUSE_MS;
  }

  async #sleep(): Promise<void> {
    if (!this.#isWoken && !this.#stop.signal.aborted) {
      const next = await readNextForwarding(this.#database.reader);
      const wait = next === null ? LOOK_MS : Math.min(LOOK_MS, Math.max(1, next - this.#now()));
      if (!this.#isWoken) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, wait);
        this.#wakeUp = resolve;
        await promise;
        clearTimeout(timer);
        this.#wakeUp = null;
      }
    }
    this.#isWoken = false;
  }
}

/** Splits messages into batches that Amazon SQS takes, by their places; their order is kept. */
function toBatches(messages: readonly SqsMessage[]): number[][] {
  const batches: number[][] = [];
  let batch: number[] = [];
  let bytes = 0;
  for (const [index, message] of messages.entries()) {
    const size = Buffer.byteLength(message.body) + ATTRIBUTES_BYTES;
    if (batch.length > 0 && (batch.length === BATCH_ENTRIES || bytes + size > BATCH_BYTES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(index);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
