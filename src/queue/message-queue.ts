import type { NamedRow, Reader, Transaction } from '../database/database.ts';
import type { RecordsetType } from '../database/recordset.ts';
import type { SharedPart } from './shared-bodies.ts';

/** A message to be queued. Its body is sent unchanged. */
export interface QueueMessage {
  /** The message group within which the message keeps its order: the webhook's id. */
  lineId: number;
  /** Unique among all messages ever. A redelivered message keeps its id. */
  messageId: string;
  /** The subject of the message, in a word; opaque to the queue. */
  label: string;
  /** The body as it is sent. */
  body: string;
  /** Set if a part of the body is stored once for several messages. */
  shared?: SharedPart;
  /** When its event occurred, in epoch milliseconds. */
  occurredAt: number;
  /** When the message was redelivered or replayed, in epoch milliseconds; set by the queue. Missing otherwise. */
  requeuedAt?: number;
  /** Where the message belongs in a trace; opaque to the queue. Missing without a trace. */
  traceContext?: string;
}

/** A message in a line. */
export interface QueuedMessage extends QueueMessage {
  /** The engine's number of the message: the order within its line. Never reused. */
  position: number;
  /** Why the body cannot be read, as the end of a sentence. Then `body` is empty. Missing if it can be read. */
  unreadable?: string;
  /** True if the engine cannot delete it either. Missing otherwise. */
  mustStay?: true;
}

/** A message in a line, without its body. */
export type MessageOutline = Omit<QueuedMessage, 'body' | 'shared' | 'unreadable' | 'mustStay'>;

/** The head of a line, in flight until it is settled or its lease ends. */
export interface ReceivedMessage extends QueuedMessage {
  /** Proves at settlement that the lease is still valid. */
  leaseToken: string;
  /** How often the message was received, including this time: the number of this attempt. */
  receiveCount: number;
}

/** When the head of a line on hold is due: never. If it is removed, the next message is on hold, too. */
export const HELD_UNTIL = 8_640_000_000_000_000;

/** What happens to a message that was received. */
export type Settlement = {
  message: ReceivedMessage;
} & (
  | { action: 'delete' }
  /** Returns the message to the head of its line, due at `availableAt` (epoch milliseconds). */
  | { action: 'retry'; availableAt: number }
  /**
   * Returns the message without an attempt, due at `availableAt` or at once. This receive is not counted. {@link
   * HELD_UNTIL} puts the line on hold.
   */
  | { action: 'release'; availableAt?: number }
  | { action: 'dead-letter' }
  /**
   * Deletes the message, and the messages behind it whose events occurred before `followersBefore`, as many as one step
   * can.
   */
  | { action: 'discard'; followersBefore: number }
);

/** A settlement that took effect. `discarded`: the messages that were deleted together with a discarded one. */
export interface Settled<S extends Settlement = Settlement> {
  settlement: S;
  discarded: QueuedMessage[];
}

/** The state of a line. */
export interface LineState {
  depth: number;
  head: {
    messageId: string;
    label: string;
    receiveCount: number;
    /** When its event occurred, in epoch milliseconds. */
    occurredAt: number;
    /**
     * Since when the head waits, in epoch milliseconds: since it was queued again or, if it never was, since its event.
     */
    waitingSince: number;
    /** Whether the head was received and is not settled yet. */
    inFlight: boolean;
    /** When the head is due, in epoch milliseconds. Meaningless while it is in flight. */
    availableAt: number;
  } | null;
}

/** What an administrator can do with the head of a line. */
export type HeadAction = 'retry' | 'dead-letter';

/**
 * The result of an action on a head. `in-flight`: the head is being delivered and was not changed. `message`: the message
 * that was moved to the dead-letter queue; null after a retry.
 */
export type HeadActionResult =
  | { outcome: 'done'; message: QueuedMessage | null }
  | { outcome: 'empty' | 'in-flight' | 'other-head' };

/**
 * The result of skipping a message. `absent`: the message does not wait in the line. `in-flight`: the message is being
 * delivered.
 */
export type SkipResult = { outcome: 'done'; message: QueuedMessage } | { outcome: 'absent' | 'in-flight' };

/** Which messages of a line are listed: at most `limit` after the one with the position `after`. */
export interface LinePart {
  /** Null: from the head. */
  after: number | null;
  limit: number;
}

/** Which messages are purged. Messages that are queued after the first step are not included. */
export interface PurgeRequest {
  /** Where the previous step ended; null for the first step. */
  from: PurgePosition | null;
  /** Only messages whose events occurred earlier, in epoch milliseconds; null for all. */
  before: number | null;
  /** Maximum number of messages that one step examines. */
  limit: number;
  /** The remaining messages are counted up to this number. */
  countUpTo: number;
}

/** How far a purge has come. */
export interface PurgePosition {
  /** The position of the last examined message. */
  after: number;
  /** The position of the last message to be examined. */
  through: number;
}

/** What one step of a purge did. */
export interface Purged {
  /** The deleted messages, in order. */
  messages: QueuedMessage[];
  /** The number of messages that further steps will delete, up to `countUpTo`. */
  remaining: number;
  /** Where the next step continues; null at the end. */
  next: PurgePosition | null;
}

/** Totals over all lines, for metrics and health. */
export interface QueueTotals {
  waiting: number;
  inFlight: number;
  deadLetters: number;
  /** The number of lines whose head has failed. The next attempt of such a head may be in flight. */
  linesBlocked: number;
  /** Since when the first message of all lines waits, in epoch milliseconds; null if no messages wait. */
  waitingSince: number | null;
}

/** How many messages to receive, and for how long. */
export interface ReceiveRequest {
  /** Maximum number of messages. */
  capacity: number;
  /** How long a received message stays hidden from other receivers, in milliseconds. */
  visibilityMs: number;
}

/** The longest waits of heads on any instance, in milliseconds. Heads on hold may wait longer. */
export interface LongestWaits {
  /** The wait of a failed head for its next attempt. */
  retryMs: number;
  /** The lease of a head in flight. */
  leaseMs: number;
}

/** The received messages. */
export interface Received {
  received: ReceivedMessage[];
  /** When the next waiting message becomes available, in epoch milliseconds; null if no messages wait. */
  nextAvailableAt: number | null;
}

/**
 * Further changes that a statement makes for the messages that it settles; opaque to the queue. Create each object only
 * once, because its statement is built once.
 */
export interface RecordingSteps {
  /** The values that are given for each message. */
  readonly columns: Readonly<Record<string, RecordsetType>>;
  /**
   * Changes in the SQL of PostgreSQL, by name. They may read `settled`, which has a row for each settled message: the
   * given columns, and those of `queue_messages`.
   */
  readonly changes: Readonly<Record<string, string>>;
}

/** Delivered messages to settle in one statement. */
export interface DeliveredBatch {
  readonly messages: readonly ReceivedMessage[];
  readonly steps: RecordingSteps;
  /** The values of `steps.columns` for each message. */
  readonly rows: readonly NamedRow[];
}

/** The result of one statement that settles and receives. */
export interface SettledAndReceived extends Received {
  /**
   * The messages that were deleted and recorded. The others are unchanged, and nothing was received from their lines:
   * settle them in a transaction that also receives.
   */
  settled: readonly ReceivedMessage[];
}

/**
 * Deletes delivered messages, records them, and leases heads that are due, in one statement. The statement is a
 * transaction of its own, with deferred durability.
 * @returns null if nothing was done, because these messages need `settle` and `receive`
 */
export type SettleAndReceive = (
  delivered: DeliveredBatch,
  request: ReceiveRequest,
) => Promise<SettledAndReceived | null>;

/** Lines that are locked until the transaction ends. */
export interface LockedLines {
  /**
   * The time for messages that are queued under these locks, in epoch milliseconds. This time is now, or the time of
   * the latest message of these lines, whichever is later: clocks of instances differ.
   */
  at: number;
  /** Whether statements that were sent together with the call may have run before all lines were locked. */
  isLate: boolean;
}

/** The limit of attempts that the queue sets. */
export interface RedriveLimit {
  /** The maximum receives of the redrive policy, which limits the attempts of every webhook. */
  readonly maxReceives: number;
}

/** Locks on lines, for everyone who queues messages, or decides by the messages that wait. */
export interface LineLocks {
  /**
   * Locks lines until the transaction ends. Other transactions that queue to them wait, because the order within a
   * line is that of commits. A transaction locks all of its lines in one call, before it queues to them.
   */
  lockLines(tx: Transaction, lineIds: readonly number[]): Promise<LockedLines>;
}

/** Reads of lines: the committed state or, with a transaction, the state that the transaction sees. */
export interface LineReader {
  line(lineId: number, reader?: Pick<Reader, 'all' | 'allFor'>): Promise<LineState>;
  /** Why the head of a line cannot be read, as the end of a sentence; null if it can be, or if the line is empty. */
  whyHeadIsUnreadable(lineId: number): Promise<string | null>;
  /**
   * The messages that wait in a line, in order: as many as requested, or fewer if they are large, but none only at the end.
   */
  waiting(
    lineId: number,
    part: LinePart,
    reader?: Pick<Reader, 'dialect' | 'all' | 'allFor'>,
  ): Promise<QueuedMessage[]>;
  /** Returns the messages of the list that wait after a redelivery or replay. */
  waitingAgain(messageIds: readonly string[]): Promise<Set<string>>;
  totals(): Promise<QueueTotals>;
}

/** Changes of waiting messages: by administrators, after changes of webhooks, and by housekeeping. */
export interface LineActions extends LineLocks {
  /** Acts on the head of a line now; with `messageId`, only if that message is the head. */
  actOnHead(
    tx: Transaction,
    lineId: number,
    action: HeadAction,
    messageId?: string,
  ): Promise<HeadActionResult>;
  /**
   * Moves one waiting message to the dead-letter queue, wherever it is in its line. The others keep their order.
   * @param position the position of the message
   */
  skip(tx: Transaction, lineId: number, position: number): Promise<SkipResult>;
  /** Deletes waiting messages, step by step. A head in flight stays. The others keep their order. */
  purge(tx: Transaction, lineId: number, request: PurgeRequest): Promise<Purged>;
  /** Deletes empty lines. Returns the lines that were deleted or never existed. */
  forgetLines(tx: Transaction, lineIds: readonly number[]): Promise<number[]>;
}

/** The dead-letter queue, for administrators and for housekeeping. */
export interface DeadLetterQueue extends LineLocks {
  /** Deletes messages from the dead-letter queue. */
  removeDeadLetters(tx: Transaction, messageIds: readonly string[]): Promise<void>;
  /** Removes at most `limit` dead letters that are older than `before`, and returns their number. */
  removeDeadLettersBefore(before: number, limit: number): Promise<number>;
  /**
   * Removes messages from the dead-letter queue and queues them again, in the given order. Their receives count
   * from zero.
   */
  redeliver(tx: Transaction, messages: readonly QueueMessage[]): Promise<void>;
}

/** What identifies the lease of a line's head: the line, and the token of this receipt. */
export type MessageLease = Pick<ReceivedMessage, 'lineId' | 'leaseToken'>;

/** Leases and wake-ups, for instances that deliver. */
export interface LeaseKeeper {
  /**
   * Ends the leases of this instance, except those of the given messages. Their heads are due at once, and the
   * receive is not counted. Use it after a failure, when the caller cannot know which leases it holds. Returns the
   * number of ended leases.
   */
  takeBackLeases(held: readonly MessageLease[]): Promise<number>;
  /** Whether a received message is neither settled nor received again, even if its lease has ended. */
  holdsLease(lease: MessageLease): Promise<boolean>;
  /**
   * Shortens waits and leases that are longer than the given ones, which shows that the clock was set back. Returns
   * their number.
   */
  endOverlongWaits(longest: LongestWaits): Promise<number>;
  /**
   * Makes heads due that wait for another attempt although they were received at least `maxReceives` times. Use it after
   * the maximum was lowered. Heads on hold stay on hold. Returns their number.
   */
  endWaitsAfter(maxReceives: number): Promise<number>;
  /** Calls the listener when messages may have become available earlier than the last `receive` reported. */
  onAvailable(listener: () => void): void;
  /** Calls these listeners in every instance, once the transaction has committed. */
  announce(tx: Transaction): void;
}

/** The part of a queue that is the same in every engine. */
export interface QueueLines extends LineReader, LineActions, DeadLetterQueue, LeaseKeeper {}

/** The queue for those who publish events. */
export interface EventQueue {
  readonly lines: LineLocks;
  /**
   * Queues messages in the given order, in the transaction of the change that caused them. On PostgreSQL, all
   * statements are sent during the call, so the commit may be sent before the promise resolves.
   */
  enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void>;
}

/** The queue for instances that deliver. */
export interface DeliveryQueue extends RedriveLimit {
  readonly lines: LineActions & LeaseKeeper & Pick<LineReader, 'line'>;
  /** Null if the engine always needs `settle` and `receive` in a transaction. */
  readonly settleAndReceive: SettleAndReceive | null;
  /**
   * Settles received messages, and returns the settlements that took effect. Settlements without a valid lease are
   * omitted. Record their results in the same transaction.
   * @param leaseNext the request for `receive` later in this transaction, if there is one. The messages behind the
   *   deleted ones may then be leased here, which saves a second update of each line
   */
  settle<S extends Settlement>(
    tx: Transaction,
    settlements: readonly S[],
    leaseNext?: ReceiveRequest,
  ): Promise<Settled<S>[]>;
  /**
   * Leases heads that are due, at most one per line. A head whose body cannot be read is not received: its line waits,
   * and no receive is counted.
   */
  receive(tx: Transaction, request: ReceiveRequest): Promise<Received>;
  /**
   * Receives as `receive` does, in transactions of its own, but reads each body in a statement of its own. Use it after
   * `receive` has failed: the database may fail to read one of the bodies.
   */
  receiveOneByOne(request: ReceiveRequest): Promise<Received>;
}

/**
 * A first-in-first-out queue of lines. Only the head of a line is ever in flight. While it waits for a retry, the
 * whole line waits. Lines never wait for each other. Every engine passes the same contract tests.
 */
export interface MessageQueue extends EventQueue, DeliveryQueue {
  /** The engine's name, for metrics. */
  readonly engine: string;
  readonly lines: QueueLines;
}
