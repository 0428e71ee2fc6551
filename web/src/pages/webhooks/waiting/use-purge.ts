import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { purgeStep } from '../../../api/waiting.ts';
import { webhooksKey } from '../../../api/webhooks.ts';
import { notifyLeft } from '../../../components/notify.tsx';
import { waiting } from '../../../texts/waiting.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { useIsShown } from '../../../utilities/use-is-shown.ts';

const texts = waiting.purging;

/** The progress of a purge. */
export interface PurgeRun {
  phase: 'running' | 'stopped' | 'failed' | 'done';
  /** Only messages of events before this time, in the format of the API; null for all. */
  until: string | null;
  done: number;
  left: number;
  cursor: string | null;
  error: unknown;
}

/** Purges a line step by step, until it is stopped. Leaving the page stops it. */
export function usePurge(webhookId: number) {
  const queryClient = useQueryClient();
  const [run, setRun] = useState<PurgeRun | null>(null);
  const stopper = useRef<AbortController>(null);
  const isShown = useIsShown();
  useEffect(() => () => stopper.current?.abort(), []);

  const go = async (from: PurgeRun) => {
    const stop = new AbortController();
    stopper.current = stop;
    let state: PurgeRun = { ...from, phase: 'running', error: null };
    setRun(state);
    try {
      while (!stop.signal.aborted) {
        // The current step is finished, so that its count is not lost.
        const step = await purgeStep(webhookId, state.until, state.cursor);
        state = {
          ...state,
          done: state.done + step.purged,
          left: step.remaining,
          cursor: step.next_cursor,
          phase: step.next_cursor === null ? 'done' : 'running',
        };
        if (state.phase === 'done') break;
        setRun(state);
      }
      if (state.phase !== 'done') state = { ...state, phase: 'stopped' };
    } catch (error) {
      state = { ...state, phase: 'failed', error };
    }
    setRun(state);
    if (!isShown()) notifyRun(state);
    await queryClient.invalidateQueries({ queryKey: [...webhooksKey, webhookId] });
  };
  const start = (until: string | null) =>
    void go({ phase: 'running', until, done: 0, left: 0, cursor: null, error: null });
  return {
    run,
    start,
    resume: () => run !== null && void go(run),
    stop: () => stopper.current?.abort(),
  };
}

/** Shows how a purge ended whose page was left. */
function notifyRun({ phase, done, left, error }: PurgeRun): void {
  const isComplete = phase === 'done';
  const count = formatNumber(done);
  const words = isComplete ? texts.done(done) : texts.stopped(count, formatNumber(left));
  notifyLeft(texts.title, words, error);
}
