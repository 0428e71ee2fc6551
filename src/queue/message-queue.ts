import type { Reader, Transaction } from '../database/database.ts';
import type { SharedPart } from './shared-bodies.ts';

/** A message to be queued. Its body is never changed on its way. */
export interface QueueMessage {
  /** The line it keeps its order in: a message group, here the webhook's id. */
  lineId: number;
  /** Unique over all messages ever; a redelivered message keeps its id. */
  messageId: string;
  /** What the message is about, in a word; opaque to the queue. */
  label: string;
  /** As it is sent. */
  body: string;
  /** Set when a part of the body is stored once for several messages. */
  shared?: SharedPart;
  /** Epoch milliseconds. */
  enqueuedAt: number;
}

/** A message that stands in a line. */
export interface QueuedMessage extends QueueMessage {
  /** The engine's own number of the message: the order within its line, never used twice. */
  position: number;
}

/** The head of a line, out for delivery until it is settled or its lease ends. */
export interface ReceivedMessage extends QueuedMessage {
  /** Proves at settling that the message is still this receiver's. */
  leaseToken: string;
  /** How often the message was taken up, this time included: the number of this attempt. */
  receiveCount: number;
}

/** What becomes of a message that was taken up. */
export type Settlement = {
  message: ReceivedMessage;
} & (
  | { action: 'delete' }
  /** Back to the head of its line, to be taken up again at `availableAt` (epoch milliseconds). */
  | { action: 'retry'; availableAt: number }
  /** Not tried: back to the head of its line, due at `availableAt` or else at once; this receive is not counted. */
  | { action: 'release'; availableAt?: number }
  | { action: 'dead-letter' }
  /** The message goes, and with it the followers that were queued before `followersBefore`, as far as one step takes. */
  | { action: 'discard'; followersBefore: number }
);

/** A settlement that took effect; `discarded` are the followers that went with a discarded message. */
export interface Settled<S extends Settlement = Settlement> {
  settlement: S;
  discarded: QueuedMessage[];
}

/** The state of a line. */
export interface LineState {
  depth: number;
  oldestEnqueuedAt: number | null;
  head: {
    messageId: string;
    label: string;
    receiveCount: number;
    /** Taken up and not settled yet. */
    inFlight: boolean;
    /** When it will be taken up (again): epoch milliseconds. Meaningless while in flight. */
    availableAt: number;
  } | null;
}

/** What an administrator may do to the head of a line. */
export type HeadAction = 'retry' | 'dead-letter';

/** How such an action went. `in-flight`: the head is being delivered at this moment and was left alone. */
export type HeadActionResult =
  | { outcome: 'done'; message: QueueMessage }
  | { outcome: 'empty' | 'in-flight' | 'other-head' };

/** Numbers over all lines, for metrics and health. */
export interface QueueTotals {
  waiting: number;
  inFlight: number;
  deadLetters: number;
  /** Lines whose head failed before and waits for its next attempt. */
  linesBlocked: number;
  /** Epoch milliseconds; null when nothing waits. */
  oldestEnqueuedAt: number | null;
}

/** How much is taken up. */
export interface ReceiveRequest {
  /** How many messages at most. */
  capacity: number;
  /** How long a message that is taken up stays hidden from other receivers, in milliseconds. */
  visibilityMs: number;
}

/** What was taken up. */
export interface Received {
  received: ReceivedMessage[];
  /** When the next waiting message becomes available, in epoch milliseconds; null when none waits. */
  nextAvailableAt: number | null;
}

/**
 * A first-in-first-out queue of lines. Within a line only the head is ever out, and a line whose head waits
 * for a retry waits as a whole; lines never wait for each other. Every engine passes the same contract tests.
 */
export interface MessageQueue {
  /** The engine's name, for metrics. */
  readonly engine: string;
  /** The redrive policy's maximum-receives count (section 3). */
  readonly maxReceives: number;
  /**
   * Locks lines until the transaction ends: others that queue to them wait, since order within a line is that of commits.
   * A transaction locks all of its lines in one call, before it queues to them.
   * @returns the moment of messages that are queued under these locks, in epoch milliseconds: now, but never before a
   * message that any of the lines was given earlier, whatever the clocks of instances say
   */
  lockLines(tx: Transaction, lineIds: readonly number[]): Promise<number>;
  /** Stores a part that the bodies of several messages have in common, and answers its id. */
  share(tx: Transaction, text: string): Promise<number>;
  /** Queues messages in the given order, within the transaction of the change that caused them. */
  enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void>;
  /**
   * Settles messages that were received, and answers the settlements that took effect: those whose lease was lost are not
   * among them. Their consequences belong in the same transaction.
   * @param next the request that `receive` gets later in this transaction, when the caller will call it. It may lease the
   * messages behind deleted ones here, which saves each of their lines a second update.
   */
  settle<S extends Settlement>(
    tx: Transaction,
    settlements: readonly S[],
    next?: ReceiveRequest,
  ): Promise<Settled<S>[]>;
  /** Takes up heads that are due, at most one of each line. */
  receive(tx: Transaction, request: ReceiveRequest): Promise<Received>;
  /**
   * Ends this instance's leases except those that it names as held: their heads are due at once, that receive uncounted.
   * For after a failure, when the caller cannot know what the queue has leased to it. Answers how many ended.
   */
  takeBackLeases(held: readonly Pick<ReceivedMessage, 'lineId' | 'leaseToken'>[]): Promise<number>;
  /** Calls back when messages may have become available sooner than the last `receive` said. */
  onAvailable(listener: () => void): void;
  /** The state of a line, as committed or, with a transaction, as that sees it. */
  line(lineId: number, reader?: Pick<Reader, 'all' | 'allFor'>): Promise<LineState>;
  /** Acts on the head of a line now; with `messageId`, only if that message is the head. */
  actOnHead(
    tx: Transaction,
    lineId: number,
    action: HeadAction,
    messageId?: string,
  ): Promise<HeadActionResult>;
  /** Takes messages out of the dead-letter queue and queues them again, in the given order, counts at zero. */
  redeliver(tx: Transaction, messages: readonly QueueMessage[]): Promise<void>;
  totals(): Promise<QueueTotals>;
  /** Forgets lines in which nothing waits, and answers those of them that are forgotten or never were. */
  forgetLines(tx: Transaction, lineIds: readonly number[]): Promise<number[]>;
  /** Removes dead letters older than the moment, at most `limit`, and answers how many. */
  removeDeadLettersBefore(before: number, limit: number): Promise<number>;
}
