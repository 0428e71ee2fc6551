import type { ReceivedMessage } from '../queue/message-queue.ts';
import type { DeliveryTarget, DeliveryTargets } from '../webhooks/delivery-targets.ts';

/** What decides how received messages are handled. */
export interface ReceivedFacts {
  /** By webhook. */
  targets: ReadonlyMap<number, DeliveryTarget>;
  /** The ids of messages whose request must not be sent a second time. */
  resent: ReadonlySet<string>;
  /**
   * The ids of messages that have failed as often as they may. The limit was lowered after their last attempt, so they
   * are dead-lettered without another one.
   */
  exhausted: ReadonlySet<string>;
}

/**
 * Reads what decides how received messages are handled, before any of them is sent.
 * @param maxReceives the maximum receives of the queue's redrive policy
 */
export async function readReceivedFacts(
  received: readonly ReceivedMessage[],
  { targets: webhooks, maxReceives }: { targets: DeliveryTargets; maxReceives: number },
): Promise<ReceivedFacts> {
  const [targets, resent] = await Promise.all([
    webhooks.read(received.map(({ lineId }) => lineId)),
    webhooks.resent(received.filter(({ receiveCount }) => receiveCount > 1).map((each) => each.messageId)),
  ]);
  const limitOf = ({ lineId }: ReceivedMessage) =>
    Math.min(targets.get(lineId)?.maxAttempts ?? maxReceives, maxReceives);
  // Usually none: a message is dead-lettered after its last attempt.
  const spent = received.filter((message) => message.receiveCount > limitOf(message));
  const inHistory = await webhooks.failures(spent);
  const exhausted = spent.filter((message) => (inHistory.get(message.messageId) ?? 0) >= limitOf(message));
  return { targets, resent, exhausted: new Set(exhausted.map(({ messageId }) => messageId)) };
}
