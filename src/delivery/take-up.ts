import type { ReceivedMessage } from '../queue/message-queue.ts';
import type { DeliveryTarget, DeliveryTargets } from '../webhooks/delivery-targets.ts';

/** What is known of received messages before any of them is sent. */
export interface TakenUp {
  /** By webhook. */
  targets: ReadonlyMap<number, DeliveryTarget>;
  /** The ids of messages whose request must not be sent a second time. */
  resent: ReadonlySet<string>;
  /**
   * How often messages have failed since they were queued, by id: those that were received as often as they may fail.
   * Attempts whose outcome was lost, for example in a crash, are no failures.
   */
  failures: ReadonlyMap<string, number>;
  /**
   * The ids of messages that have failed as often as they may. The limit was lowered after their last attempt, so they
   * are dead-lettered without another one.
   */
  exhausted: ReadonlySet<string>;
}

/**
 * Reads what decides how received messages are handled.
 * @param maxReceives the maximum receives of the queue's redrive policy
 */
export async function takeUp(
  received: readonly ReceivedMessage[],
  { targets: webhooks, maxReceives }: { targets: DeliveryTargets; maxReceives: number },
): Promise<TakenUp> {
  const [targets, resent] = await Promise.all([
    webhooks.read(received.map(({ lineId }) => lineId)),
    webhooks.resent(received.filter(({ receiveCount }) => receiveCount > 1).map((each) => each.messageId)),
  ]);
  const limitOf = ({ lineId }: ReceivedMessage) =>
    Math.min(targets.get(lineId)?.maxAttempts ?? maxReceives, maxReceives);
  // Usually those of which this is the last attempt. A first one cannot have failed before.
  const spent = received.filter(
    (message) => message.receiveCount > 1 && message.receiveCount >= limitOf(message),
  );
  const failures = failuresSinceQueued(spent, await webhooks.failures(spent));
  const exhausted = spent.filter((message) => (failures.get(message.messageId) ?? 0) >= limitOf(message));
  return { targets, resent, failures, exhausted: new Set(exhausted.map(({ messageId }) => messageId)) };
}

/**
 * The failures of messages since they were queued, by id. The history also has those before a redelivery. Times do not tell
 * them apart, because clocks are corrected. But a message cannot have failed more often than it was received. So a lost
 * attempt counts only for a message that was redelivered.
 */
function failuresSinceQueued(
  messages: readonly ReceivedMessage[],
  inHistory: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  return new Map(
    messages.map(({ messageId, receiveCount }) => [
      messageId,
      Math.min(receiveCount - 1, inHistory.get(messageId) ?? 0),
    ]),
  );
}
