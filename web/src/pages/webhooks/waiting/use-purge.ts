import { useQueryClient } from '@tanstack/react-query';
import { newIdempotencyKey } from '../../../api/request.ts';
import { purgeStep } from '../../../api/waiting.ts';
import { webhooksKey } from '../../../api/webhooks.ts';
import { notifyLeft } from '../../../components/notify.tsx';
import { type RunState, useRun } from '../../../components/use-run.ts';
import { waiting } from '../../../texts/waiting.ts';
import { formatNumber } from '../../../utilities/numbers.ts';

const texts = waiting.purging;

/** The progress of a purge. */
export interface PurgeRun extends RunState {
  /** Only messages of events before this time, in the format of the API; null for all. */
  until: string | null;
  done: number;
  left: number;
  cursor: string | null;
  /** The idempotency key of the next step. */
  key: string;
}

/**
 * Purges a line step by step, until it is stopped. A step whose response was lost is repeated with the same key, so that
 * it discards nothing that was queued in the meantime.
 */
export function usePurge(webhookId: number) {
  const queryClient = useQueryClient();
  const { start, ...purge } = useRun<PurgeRun>({
    step: async (state) => {
      const step = await purgeStep(webhookId, state);
      return {
        ...state,
        done: state.done + step.purged,
        left: step.remaining,
        cursor: step.next_cursor,
        key: newIdempotencyKey(),
        phase: step.next_cursor === null ? 'done' : 'running',
      };
    },
    onLeft: notifyRun,
    onEnd: () => queryClient.invalidateQueries({ queryKey: [...webhooksKey, webhookId] }),
  });
  return {
    ...purge,
    start: (until: string | null) =>
      start({
        phase: 'running',
        until,
        done: 0,
        left: 0,
        cursor: null,
        key: newIdempotencyKey(),
        error: null,
      }),
  };
}

/** Shows how a purge ended whose page was left. */
function notifyRun({ phase, done, left, error }: PurgeRun): void {
  const isComplete = phase === 'done';
  const count = formatNumber(done);
  const words = isComplete ? texts.done(done) : texts.stopped(count, formatNumber(left));
  notifyLeft(texts.title, words, error);
}
