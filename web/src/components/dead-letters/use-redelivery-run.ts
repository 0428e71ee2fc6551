import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type DeadLetterAction, deadLettersKey, stepOverDeadLetters } from '../../api/dead-letters.ts';
import { actOnMatching } from '../../api/deliveries.ts';
import { webhooksKey } from '../../api/webhooks.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { useIsShown } from '../../utilities/use-is-shown.ts';
import { notifyLeft } from '../notify.tsx';
import { after, afterMatching, progressOf, type Run, START } from './redelivery-run.ts';

/** The dead letters that are redelivered or removed. */
export interface RedeliverySelection {
  action: DeadLetterAction;
  /** Null: all webhooks. */
  webhook: { id: number; name: string } | null;
  /** Members of the API; null for all dead letters. */
  filter: object | null;
  /** Whether the filter comes from the history, which may contain discarded messages. */
  ofHistory?: boolean;
}

/**
 * Redelivers or removes dead letters step by step, until it is stopped or the page is left. A notice then says how far
 * it was.
 * @param onRun called when it has processed messages
 */
export function useRedeliveryRun(
  { action, webhook, filter, ofHistory = false }: RedeliverySelection,
  onRun: (() => void) | undefined,
) {
  const queryClient = useQueryClient();
  const [run, setRun] = useState(START);
  const stopper = useRef<AbortController>(null);
  const isShown = useIsShown();
  // Leaving the page stops it.
  useEffect(() => () => stopper.current?.abort(), []);

  const start = async () => {
    const stop = new AbortController();
    stopper.current = stop;
    let state: Run = { ...run, phase: 'running', error: null };
    setRun(state);
    try {
      while (!stop.signal.aborted) {
        // The current step is finished, so that its count is not lost.
        state =
          ofHistory && webhook !== null && filter !== null
            ? afterMatching(state, await actOnMatching(action, webhook.id, filter, state.cursor))
            : after(
                state,
                await stepOverDeadLetters(action, { ...state, webhookId: webhook?.id ?? null, filter }),
              );
        if (state.phase === 'done') break;
        setRun(state);
      }
      if (state.phase !== 'done') state = { ...state, phase: 'stopped' };
    } catch (error) {
      state = { ...state, phase: 'failed', error };
    }
    setRun(state);
    if (!isShown()) {
      const end: Run = state.phase === 'done' ? state : { ...state, phase: 'stopped' };
      notifyLeft(deadLetters.runs[action].title, progressOf(action, filter !== null, end), state.error);
    }
    onRun?.();
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: deadLettersKey }),
      queryClient.invalidateQueries({ queryKey: webhooksKey }),
    ]);
  };

  return {
    run,
    /** Starts, or continues after it was stopped or has failed. */
    start: () => void start(),
    stop: () => stopper.current?.abort(),
  };
}
