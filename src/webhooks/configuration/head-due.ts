import type { LineState } from '../../queue/message-queue.ts';
import type { Webhook, WebhookConfiguration } from './webhook.ts';

/**
 * Whether an update makes the head due now instead of at its next retry. It does if the messages are discarded or no
 * longer on hold, if the head has had all of its attempts, or if the next attempt may succeed.
 * @param head null if no messages wait
 */
export function makesHeadDue(current: Webhook, next: WebhookConfiguration, head: LineState['head']): boolean {
  // Delivery would only put the head of a paused webhook on hold again. Resuming makes it due.
  if (next.enabled && next.paused) return false;
  return (
    (current.enabled && !next.enabled) ||
    (current.paused && !next.paused) ||
    (head !== null && (isTooOld(head.occurredAt, next) || head.receiveCount >= next.maxAttempts)) ||
    mayFixDelivery(current, next)
  );
}

/** Whether a message is discarded because its event occurred before `ignoreBefore`. */
export function isTooOld(occurredAt: number, { ignoreBefore }: { ignoreBefore: number | null }): boolean {
  return ignoreBefore !== null && occurredAt < ignoreBefore;
}

/** Whether the change may fix failing deliveries: another target, or new credentials. */
function mayFixDelivery(current: Webhook, { targetUrl, authentication }: WebhookConfiguration): boolean {
  if (targetUrl !== current.targetUrl || authentication.type !== current.authentication.type) return true;
  return authentication.type === 'BASIC' && authentication.secret !== null;
}
