import type { Logger } from '../observability/log.ts';
import type { LongestWaits, MessageQueue } from '../queue/message-queue.ts';
import { BackgroundTask } from '../time/background-task.ts';

const EVERY_MS = 60_000;

/**
 * Looks regularly for messages that would wait for longer than any wait lasts, because the clock was set back. Without
 * it, they would wait for as long as the clock was fast.
 */
export function watchWaits({
  queue,
  longest,
  log,
  everyMs = EVERY_MS,
}: {
  queue: Pick<MessageQueue, 'endOverlongWaits'>;
  longest: LongestWaits;
  log: Pick<Logger, 'warn'>;
  /** @defaultValue a minute */
  everyMs?: number;
}): BackgroundTask {
  return new BackgroundTask({
    round: async () => {
      const lines = await queue.endOverlongWaits(longest);
      if (lines > 0)
        log.warn('the clock was set back: messages that would wait for too long are due now', { lines });
    },
    pauseMs: everyMs,
    // An outage of the database is logged elsewhere. The next round retries.
    onError: () => {},
  });
}
