import { useEffect, useRef, useState } from 'react';
import { concernsAll, isNotFound } from '../../api/errors.ts';
import { useIsShown } from '../../utilities/use-is-shown.ts';
import { notifyDone, notifyLeft } from '../notify.tsx';
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
  /** Called when all items were processed. */
  onClose: () => void;
}

/**
 * Performs an action on items, one call for each, until it is stopped, the page is left, or an error concerns all of
 * them. The items that failed are collected. If the page is left, a notice says how far it was.
 */
export function useBulkRun<T>({ items, words, act, onDone, onEnd, onClose }: BulkAction<T>) {
  const [phase, setPhase] = useState<BulkPhase>('asking');
  const [done, setDone] = useState(0);
  const [failures, setFailures] = useState<readonly Failure<T>[]>([]);
  const [error, setError] = useState<unknown>(null);
  const waiting = useRef(items);
  const stopper = useRef<AbortController>(null);
  const isShown = useIsShown();
  // Leaving the page stops it.
  useEffect(() => () => stopper.current?.abort(), []);

  const run = async (those: readonly BulkItem<T>[]) => {
    const stop = new AbortController();
    stopper.current = stop;
    setPhase('running');
    setError(null);
    let left = those;
    let end: BulkPhase = 'done';
    let failure: unknown = null;
    let doneNow = done;
    const failed = phase === 'done' ? [] : [...failures];
    const succeed = (row: T) => {
      onDone(row);
      doneNow += 1;
      setDone(doneNow);
    };
    for (const item of those) {
      if (stop.signal.aborted) {
        end = 'stopped';
        break;
      }
      try {
        // The current call is finished, so that its result is not lost.
        await act(item.row);
        succeed(item.row);
      } catch (cause) {
        if (isNotFound(cause)) {
          // Someone else has already done it.
          succeed(item.row);
        } else if (concernsAll(cause)) {
          setError(cause);
          failure = cause;
          end = 'failed';
          break;
        } else {
          failed.push({ ...item, error: cause });
          setFailures([...failed]);
        }
      }
      left = left.slice(1);
    }
    waiting.current = left;
    setPhase(end);
    if (end === 'done' && failed.length === 0) {
      notifyDone(words.done(doneNow));
      onClose();
    } else if (!isShown()) {
      const result = progressOf(
        left.length > 0 ? 'stopped' : end,
        words,
        doneNow,
        items.length,
        failed.length,
      );
      const title = words.confirm(items.length);
      notifyLeft(title, [result, ...failuresIn(words, failed)].join(' '), failure);
    }
    await onEnd();
  };

  return {
    phase,
    done,
    failures,
    /** The error that ended the run for all items. */
    error,
    /** Starts, or continues with the items that are left. After `done`, it tries the failed ones again. */
    start: () => {
      if (phase !== 'done') void run(waiting.current);
      else {
        setFailures([]);
        void run(failures);
      }
    },
    stop: () => stopper.current?.abort(),
  };
}
