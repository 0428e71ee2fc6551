import type { Logger } from '../observability/log.ts';
import type { LeaseKeeper, LongestWaits } from '../queue/message-queue.ts';
import { MAX_DELIVERY_TIMEOUT, MAX_RETRY_DELAY } from '../settings/setting-values.ts';
import { BackgroundTask } from '../time/background-task.ts';
import { SECOND_MS } from '../time/units.ts';
import { VISIBILITY_MARGIN_MS } from './delivery-worker.ts';

const CHECK_INTERVAL_MS = 60_000;
/**
 * The longest waits with any settings, because other instances may have longer ones. A lease must not end before the
 * request of its instance.
 */
export const LONGEST_WAITS: LongestWaits = {
  retryMs: MAX_RETRY_DELAY * SECOND_MS,
  leaseMs: MAX_DELIVERY_TIMEOUT * SECOND_MS + VISIBILITY_MARGIN_MS,
};

/**
 * Regularly shortens waits that are longer than any setting allows, because the clock was set back. Otherwise, new
 * messages would wait for as long as the clock was fast.
 */
export function watchWaits({
  lines,
  log,
  everyMs = CHECK_INTERVAL_MS,
}: {
  lines: LeaseKeeper;
  log: Pick<Logger, 'warn'>;
  /** @defaultValue a minute */
  everyMs?: number;
}): BackgroundTask {
  return new BackgroundTask({
    round: async () => {
      const shortened = await lines.endOverlongWaits(LONGEST_WAITS);
      if (shortened > 0)
        log.warn('the clock was set back: shortened waits that were longer than any setting allows', {
          lines: shortened,
        });
    },
    pauseMs: everyMs,
    // An outage of the database is logged elsewhere. The next round retries.
    onError: () => {},
  });
}
