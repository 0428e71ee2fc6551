import type { MessageLease, ReceivedMessage, RedriveLimit } from '../queue/message-queue.ts';
import type { DeliveryTargets } from '../webhooks/delivery-targets.ts';
import type { Attempt, Attempts } from './attempt.ts';
import type { DeliveryReports } from './delivery-reports.ts';
import type { DeliverySlots, Slot } from './delivery-slots.ts';
import type { PostbackSender } from './postback-sender.ts';
import { type ReceivedFacts, readReceivedFacts } from './received-facts.ts';
import { deadLetter, discard, discardReason, type FinishedMessage, hold, release } from './settlements.ts';
import type { UnstoredOutcomes } from './unstored-outcomes.ts';

/**
 * How long a line waits until its head is read again, in milliseconds. Waits that exceed the slack for overlong waits are
 * ended early.
 */
const UNREADABLE_PAUSE_MS = 30_000;

/** Dependencies of {@link ReceivedMessages}. */
export interface ReceivedMessagesDependencies {
  targets: DeliveryTargets;
  queue: RedriveLimit;
  sender: Pick<PostbackSender, 'originOf'>;
  attempts: Attempts;
  reports: DeliveryReports;
  slots: DeliverySlots;
  unstored: UnstoredOutcomes;
  /** Lets the next poll settle a message. */
  onFinished: (settlement: FinishedMessage) => void;
  /** Called when a request has ended. */
  onRequestEnd: () => void;
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  elapsed: () => number;
}

/**
 * Decides what happens to received messages: they are sent, or they leave their lines or return to them without a
 * request. A webhook never has two requests in flight.
 */
export class ReceivedMessages {
  readonly #with: ReceivedMessagesDependencies;
  /** Messages that wait for the end of a request of their line, by line. */
  readonly #behindRequests = new Map<number, ReceivedMessage>();

  constructor(dependencies: ReceivedMessagesDependencies) {
    this.#with = dependencies;
  }

  /** The leases of the messages in flight, and of those that wait for the end of a request. */
  get leases(): readonly MessageLease[] {
    return [...this.#with.slots.leases(), ...this.#behindRequests.values()];
  }

  /**
   * Handles messages of different lines. If the webhooks cannot be read, the messages return to their lines.
   * @param sendBy until when they may be sent, on the monotonic clock
   * @throws {Error} if the webhooks cannot be read
   */
  async handle(messages: readonly ReceivedMessage[], sendBy: number): Promise<void> {
    const { targets: webhooks, queue, reports, elapsed, now } = this.#with;
    const received = this.#withoutKnownOutcomes(this.#withoutRequests(messages));
    let facts: ReceivedFacts;
    try {
      facts = await readReceivedFacts(received, { targets: webhooks, maxReceives: queue.maxReceives });
    } catch (error) {
      // These messages were not attempted, so they return to the heads of their lines.
      for (const message of received) this.#with.onFinished(release(message));
      throw error;
    }
    const { targets, resent, exhausted } = facts;
    let late = 0;
    for (const message of received) {
      const target = targets.get(message.lineId);
      const reason = discardReason(message, target);
      if (reason !== null && message.mustStay === undefined)
        this.#finish(discard(message, target, reason, now()));
      else if (target?.state === 'PAUSED') this.#finish(hold(message));
      else if (message.unreadable !== undefined) {
        reports.unreadable(message, message.unreadable);
        // The line is not in flight, so someone can skip the message.
        this.#finish(release(message, now() + UNREADABLE_PAUSE_MS));
      } else if (target !== undefined && exhausted.has(message.messageId))
        this.#finish(deadLetter(message, target, now()));
      else if (elapsed() > sendBy) {
        // The release takes effect only if the lease is still valid.
        this.#finish(release(message));
        late += 1;
      } else if (target !== undefined)
        this.#sendOrPostpone({ message, target, mayResend: !resent.has(message.messageId) });
    }
    if (late > 0) reports.late(late);
  }

  /**
   * The messages whose lines have no request in flight. The other messages wait for the end of that request, and then
   * return to their lines. The lease of that request seems to have ended early, for example because the clock was set
   * forward. A second request of the webhook could be processed before the one in flight.
   */
  #withoutRequests(received: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
    const early = received.filter(({ lineId }) => this.#with.slots.holds(lineId));
    if (early.length === 0) return received;
    for (const message of early) this.#behindRequests.set(message.lineId, message);
    this.#with.reports.early(early.length);
    return received.filter((message) => !early.includes(message));
  }

  /** The messages without a known outcome. The outcomes of the others could not be stored, so this is repeated. */
  #withoutKnownOutcomes(received: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
    const { unstored } = this.#with;
    if (unstored.isEmpty) return received;
    return received.filter((message) => !unstored.recall(message));
  }

  /** Lets the next poll settle a message, or stores its outcome alone if the last one of its line was refused. */
  #finish(settlement: FinishedMessage): void {
    if (!this.#with.unstored.replace(settlement)) this.#with.onFinished(settlement);
  }

  #sendOrPostpone(attempt: Attempt): void {
    const { message, target } = attempt;
    const { sender, slots, attempts } = this.#with;
    const origin = sender.originOf(target.targetUrl);
    const pause = slots.originPause(origin);
    if (pause === null) void this.#send(attempt, slots.take(message, origin));
    else this.#finish(attempts.postpone(message, 'origin_limit', origin, pause));
  }

  async #send(attempt: Attempt, slot: Slot): Promise<void> {
    const { lineId } = attempt.message;
    try {
      this.#finish(this.#withLatestLease(await this.#with.attempts.run(attempt)));
    } finally {
      this.#with.slots.give(slot);
      const behind = this.#behindRequests.get(lineId);
      if (behind !== undefined) this.#with.onFinished(release(behind));
      this.#behindRequests.delete(lineId);
      this.#with.onRequestEnd();
    }
  }

  /**
   * If a delivered message was received again during its request, it is settled with the lease of that receive. The lease of
   * the request is lost, and the message would be sent again. A failure is repeated, and only the repetition counts.
   */
  #withLatestLease(finished: FinishedMessage): FinishedMessage {
    const { lineId, position } = finished.message;
    const behind = this.#behindRequests.get(lineId);
    if (finished.action !== 'delete' || behind?.position !== position) return finished;
    this.#behindRequests.delete(lineId);
    return { ...finished, message: behind };
  }
}
