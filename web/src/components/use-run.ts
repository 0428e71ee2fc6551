import { useEffect, useRef, useState } from 'react';
import { useIsShown } from '../utilities/use-is-shown.ts';

/** The state of work that is done step by step. */
export interface RunState {
  phase: 'running' | 'stopped' | 'failed' | 'done';
  /** Why it has failed; null if it has not. */
  error: unknown;
}

/**
 * Does work step by step until it is done or stopped, or until a step fails. Leaving the page stops it.
 * @param step does the next step, and returns the state after it: `running` if there is another one, else `done`
 * @param onLeft called at the end if the page was left, to show how far it got
 * @param onEnd called at each end with the state, so that lists can be refreshed
 */
export function useRun<T extends RunState>({
  step,
  onLeft,
  onEnd,
}: {
  step: (state: T) => Promise<T>;
  onLeft: (state: T) => void;
  onEnd: (state: T) => Promise<unknown>;
}) {
  const [run, setRun] = useState<T | null>(null);
  const stopper = useRef<AbortController>(null);
  const isShown = useIsShown();
  useEffect(() => () => stopper.current?.abort(), []);

  const go = async (from: T) => {
    const stop = new AbortController();
    stopper.current = stop;
    let state: T = { ...from, phase: 'running', error: null };
    setRun(state);
    try {
      // The current step is finished, so that its result is not lost.
      while (state.phase === 'running' && !stop.signal.aborted) {
        state = await step(state);
        setRun(state);
      }
      if (state.phase === 'running') state = { ...state, phase: 'stopped' };
    } catch (error) {
      state = { ...state, phase: 'failed', error };
    }
    setRun(state);
    if (!isShown()) onLeft(state);
    await onEnd(state);
  };

  return {
    /** Null before the start. */
    run,
    /** Starts with the state before the first step. */
    start: (first: T) => void go(first),
    /** Continues after it was stopped or has failed. */
    resume: () => {
      if (run !== null) void go(run);
    },
    stop: () => stopper.current?.abort(),
  };
}
