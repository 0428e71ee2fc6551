import type { QueueMessage } from './message-queue.ts';

/** Since when a message waits: since it was queued again or, if it never was, since its event. */
export function waitingSince({
  occurredAt,
  requeuedAt,
}: Pick<QueueMessage, 'occurredAt' | 'requeuedAt'>): number {
  return requeuedAt ?? occurredAt;
}
