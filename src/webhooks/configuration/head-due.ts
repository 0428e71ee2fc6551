import type { Webhook, WebhookConfiguration } from './webhook.ts';

/**
 * Whether an update makes the head due now instead of at its next retry: its messages are discarded now, or may be, or
 * they are no longer on hold, or the next attempt may succeed.
 * @param headEnqueuedAt the time of the head; null if nothing waits
 */
export function makesHeadDue(
  present: Webhook,
  next: WebhookConfiguration,
  headEnqueuedAt: number | null,
): boolean {
  // It would only be put on hold again. Resuming makes it due.
  if (next.enabled && next.paused) return false;
  return (
    (present.enabled && !next.enabled) ||
    (present.paused && !next.paused) ||
    (headEnqueuedAt !== null && isTooOld(headEnqueuedAt, next)) ||
    mayMendDelivery(present, next)
  );
}

/** Whether a message of this time is discarded instead of delivered while the webhook is active and not paused. */
export function isTooOld(enqueuedAt: number, { ignoreBefore }: { ignoreBefore: number | null }): boolean {
  return ignoreBefore !== null && enqueuedAt < ignoreBefore;
}

/** Whether the change may fix failing deliveries: another target, or new credentials. */
function mayMendDelivery(present: Webhook, { targetUrl, authentication }: WebhookConfiguration): boolean {
  if (targetUrl !== present.targetUrl || authentication.type !== present.authentication.type) return true;
  return authentication.type === 'BASIC' && authentication.secret !== null;
}
