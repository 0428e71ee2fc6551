import type { Logger } from '../observability/log.ts';
import type { LeaseKeeper, LongestWaits, RedriveLimit } from '../queue/message-queue.ts';
import { MAX_DELIVERY_TIMEOUT, MAX_RETRY_DELAY } from '../settings/setting-values.ts';
import { BackgroundTask } from '../time/background-task.ts';
import { MINUTE_MS, SECOND_MS } from '../time/units.ts';
import { VISIBILITY_MARGIN_MS } from './delivery-worker.ts';

const CHECK_INTERVAL_MS = MINUTE_MS;
/**
 * The longest waits with any settings, because other instances may have longer ones. A lease must not end before the
 * request of its instance.
 */
export const LONGEST_WAITS: LongestWaits = {
  retryMs: MAX_RETRY_DELAY * SECOND_MS,
  leaseMs: MAX_DELIVERY_TIMEOUT * SECOND_MS + VISIBILITY_MARGIN_MS,
};

/**
 * Regularly ends waits that became too long. Waits that are longer than any setting allows are shortened. Their cause
 * is a clock that was set back: new messages would otherwise wait for as long as it was fast. At the start, and after
 * the maximum receives of the queue were lowered, messages that have had all of their attempts become due, so that
 * delivery dead-letters them.
 */
export function watchWaits({
  queue,
  log,
  everyMs = CHECK_INTERVAL_MS,
}: {
  queue: RedriveLimit & { readonly lines: LeaseKeeper };
  log: Pick<Logger, 'warn' | 'info'>;
  /** @defaultValue a minute */
  everyMs?: number;
}): BackgroundTask {
  /** The maximum receives that all waits respect. */
  let respected = Number.POSITIVE_INFINITY;
  return new BackgroundTask({
    round: async () => {
      const { lines, maxReceives } = queue;
      const shortened = await lines.endOverlongWaits(LONGEST_WAITS);
      if (shortened > 0)
        log.warn('the clock was set back: shortened waits that were longer than any setting allows', {
          lines: shortened,
        });
      const ended = maxReceives < respected ? await lines.endWaitsAfter(maxReceives) : 0;
      respected = maxReceives;
      if (ended > 0)
        log.info('messages that have had as many attempts as the queue allows do not wait for another one', {
          lines: ended,
          max_receives: maxReceives,
        });
    },
    pauseMs: everyMs,
    // An outage of the database is logged elsewhere. The next round retries.
    onError: () => {},
  });
}
