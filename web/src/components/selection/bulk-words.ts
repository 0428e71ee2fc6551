import { formatNumber } from '../../utilities/numbers.ts';
import type { RunState } from '../use-run.ts';
import { namesOf } from './failure-list.tsx';

/** The texts of a bulk action. */
export interface BulkWords {
  title: (count: number, name: string | null) => string;
  confirm: (count: number) => string;
  progress: (done: string, total: string) => string;
  done: (count: number) => string;
  stopped: (done: string, left: string) => string;
  failed: (count: number) => string;
}

/** The state of a bulk action. After `done`, the failed items can be tried again. */
export type BulkPhase = 'asking' | RunState['phase'];

/** How far a bulk action is. */
export function progressOf(
  phase: BulkPhase,
  words: BulkWords,
  done: number,
  total: number,
  failed: number,
): string {
  const doneText = formatNumber(done);
  switch (phase) {
    case 'done':
      return words.done(done);
    case 'stopped':
      return words.stopped(doneText, formatNumber(total - done - failed));
    default:
      return words.progress(doneText, formatNumber(total));
  }
}

/** A sentence about the failed items, for a notice; none if there are none. */
export function failuresIn(words: BulkWords, failed: readonly { name: string }[]): string[] {
  if (failed.length === 0) return [];
  return [words.failed(failed.length), namesOf(failed)];
}
