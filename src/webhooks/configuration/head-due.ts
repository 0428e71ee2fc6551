import type { Webhook, WebhookConfiguration } from './webhook.ts';

/**
 * Whether an update makes the head due now instead of at its next retry. It does if the messages are discarded or no
 * longer on hold, or if the next attempt may succeed.
 * @param headOccurredAt when the event of the head occurred; null if no messages wait
 */
export function makesHeadDue(
  current: Webhook,
  next: WebhookConfiguration,
  headOccurredAt: number | null,
): boolean {
  // Delivery would only put the head of a paused webhook on hold again. Resuming makes it due.
  if (next.enabled && next.paused) return false;
  return (
    (current.enabled && !next.enabled) ||
    (current.paused && !next.paused) ||
    (headOccurredAt !== null && isTooOld(headOccurredAt, next)) ||
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
