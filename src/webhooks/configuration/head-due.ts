import type { Webhook, WebhookConfiguration } from './webhook.ts';

/**
 * Whether an update makes the head due now instead of at its next retry: its messages are discarded now, or may be, or
 * they are no longer on hold, or the next attempt may succeed.
 */
export function makesHeadDue(present: Webhook, next: WebhookConfiguration): boolean {
  return (
    (present.enabled && !next.enabled) ||
    (present.paused && !next.paused) ||
    ignoresMore(present, next) ||
    mayMendDelivery(present, next)
  );
}

/** Whether messages are now discarded as too old that were not before. */
export function ignoresMore(
  former: { ignoreBefore: number | null },
  { ignoreBefore }: { ignoreBefore: number | null },
): boolean {
  return ignoreBefore !== null && (former.ignoreBefore === null || former.ignoreBefore < ignoreBefore);
}

/** Whether the change may fix failing deliveries: another target, or new credentials. */
function mayMendDelivery(present: Webhook, { targetUrl, authentication }: WebhookConfiguration): boolean {
  if (targetUrl !== present.targetUrl || authentication.type !== present.authentication.type) return true;
  return authentication.type === 'BASIC' && authentication.secret !== null;
}
