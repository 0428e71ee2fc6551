import { concernsAll, isNotFound } from '../../api/errors.ts';
import { notifyDone, notifyLeft } from '../notify.tsx';
import { type RunState, useRun } from '../use-run.ts';
import { type BulkPhase, type BulkWords, failuresIn, progressOf } from './bulk-words.ts';

/** An item of a bulk action, with its display name. */
export interface BulkItem<T> {
  row: T;
  name: string;
}

interface Failure<T> extends BulkItem<T> {
  error: unknown;
}

/** A bulk action. */
export interface BulkAction<T> {
  items: readonly BulkItem<T>[];
  /** The texts of the action. */
  words: BulkWords;
  act: (row: T) => Promise<unknown>;
  /** Called after each item that was processed or no longer exists. */
  onDone: (row: T) => void;
  /** Called when a run ends, so that lists can be refreshed. */
  onEnd: () => Promise<unknown>;
  /** Closes the dialog. Also called when all items were processed. */
  onClose: () => void;
}

/** How far a bulk action is. */
interface BulkRun<T> extends RunState {
  /** The items that are left. */
  waiting: readonly BulkItem<T>[];
  done: number;
  failures: readonly Failure<T>[];
}

/**
 * Performs an action on items, one call for each, until it is stopped, the page is left, or an error concerns all of
 * them. The items that failed are collected. If the page is left, a notice says how far it was.
 */
export function useBulkRun<T>({ items, words, act, onDone, onEnd, onClose }: BulkAction<T>) {
  const { run, start, resume, stop } = useRun<BulkRun<T>>({
    step: async (state) => {
      const [item, ...waiting] = state.waiting;
      if (item === undefined) return { ...state, phase: 'done' };
      const next: BulkRun<T> = { ...state, waiting, phase: waiting.length === 0 ? 'done' : 'running' };
      try {
        await act(item.row);
      } catch (error) {
        if (concernsAll(error)) throw error;
        // Someone else may have already done it.
        if (!isNotFound(error)) return { ...next, failures: [...state.failures, { ...item, error }] };
      }
      onDone(item.row);
      return { ...next, done: state.done + 1 };
    },
    onLeft: (state) => {
      if (isComplete(state)) return;
      const { phase, waiting, done, failures, error } = state;
      const end = waiting.length > 0 ? 'stopped' : phase;
      const result = progressOf(end, words, done, items.length, failures.length);
      notifyLeft(words.confirm(items.length), [result, ...failuresIn(words, failures)].join(' '), error);
    },
    onEnd: (state) => {
      if (isComplete(state)) {
        notifyDone(words.done(state.done));
        onClose();
      }
      return onEnd();
    },
  });
  const before: BulkRun<T> = { phase: 'running', waiting: items, done: 0, failures: [], error: null };
  const phase: BulkPhase = run?.phase ?? 'asking';
  return {
    ...(run ?? before),
    phase,
    /** Starts, or continues with the items that are left. After `done`, it tries the failed ones again. */
    start: () => {
      if (run === null) start(before);
      else if (run.phase === 'done') start({ ...run, waiting: run.failures, failures: [] });
      else resume();
    },
    stop,
  };
}

function isComplete<T>({ phase, failures }: BulkRun<T>): boolean {
  return phase === 'done' && failures.length === 0;
}
