import type { QueueMessage } from './message-queue.ts';

/** Since when a message waits: since its event or, if it was redelivered or replayed, since then. */
export function waitingSince({ occurredAt, requeuedAt }: QueueMessage): number {
  return requeuedAt ?? occurredAt;
}
