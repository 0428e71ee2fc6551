import type { DeadLetterAction, DeadLetterStep } from '../../api/dead-letters.ts';
import type { MatchingStep } from '../../api/deliveries.ts';
import { newIdempotencyKey } from '../../api/request.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import type { RunState } from '../use-run.ts';

/** How far the redelivery or removal of dead letters is. */
export interface RedeliveryRun extends RunState {
  done: number;
  left: number;
  leftIsMinimum: boolean;
  /** Later dead letters are not included; null before the first step. */
  until: string | null;
  /** The cursor of the next step; null before the first step. */
  cursor: string | null;
  /** The idempotency key of the next step. */
  key: string;
}

/** Before the first step. */
export function beforeSteps(): RedeliveryRun {
  return {
    phase: 'running',
    done: 0,
    left: 0,
    leftIsMinimum: false,
    until: null,
    cursor: null,
    key: newIdempotencyKey(),
    error: null,
  };
}

/** The state after a step over dead letters. */
export function after(state: RedeliveryRun, step: DeadLetterStep): RedeliveryRun {
  return {
    ...state,
    phase: step.next_cursor === null ? 'done' : 'running',
    done: state.done + step.done,
    left: step.remaining,
    leftIsMinimum: step.remaining_is_lower_bound,
    until: step.until_dt,
    cursor: step.next_cursor,
    key: newIdempotencyKey(),
  };
}

/** The state after a step over the messages of a history that match a filter. */
export function afterMatching(state: RedeliveryRun, step: MatchingStep): RedeliveryRun {
  return {
    ...state,
    phase: step.next_cursor === null ? 'done' : 'running',
    done: state.done + step.done,
    left: step.remaining,
    leftIsMinimum: false,
    cursor: step.next_cursor,
    key: newIdempotencyKey(),
  };
}

/**
 * How far a run is, in words.
 * @param isMatching whether a filter limits it; the number of matches is then not known
 */
export function progressOf(action: DeadLetterAction, isMatching: boolean, run: RedeliveryRun): string {
  const texts = deadLetters.runs[action];
  return isMatching ? progressOfMatching(texts, run) : progressOfAll(texts, run);
}

type RunWords = (typeof deadLetters.runs)[DeadLetterAction];

function progressOfAll(texts: RunWords, run: RedeliveryRun): string {
  const done = formatNumber(run.done);
  const total = run.done + run.left;
  const atLeast = (count: number) =>
    run.leftIsMinimum ? texts.more(formatNumber(count)) : formatNumber(count);
  // Only a step tells how many there are.
  if (run.until === null && run.phase !== 'running') return texts.interrupted(done);
  switch (run.phase) {
    case 'done':
      return doneWords(texts, run);
    case 'stopped':
      return texts.stopped(done, atLeast(run.left));
    default:
      return total === 0 ? texts.running : texts.progress(done, atLeast(total));
  }
}

function progressOfMatching(texts: RunWords, run: RedeliveryRun): string {
  const done = formatNumber(run.done);
  switch (run.phase) {
    case 'done':
      return doneWords(texts, run);
    case 'stopped':
      return texts.stoppedMatching(done);
    case 'failed':
      return texts.interrupted(done);
    default:
      return run.cursor === null ? texts.running : texts.progressOfMatching(done);
  }
}

function doneWords(texts: RunWords, { done }: RedeliveryRun): string {
  return done === 0 ? texts.none : texts.done(done);
}
