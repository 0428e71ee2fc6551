import type { TimeLimit } from './server.ts';

/** A course that measures the time itself ends on its own, with a better message than a frame that disappears. */
const GRACE_MS = 5_000;
/** The longest delay of a browser's timer, in ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Whether a unit has no time left and therefore ends. */
export function isUsedUp(limit: TimeLimit | null): boolean {
  return limit?.exits === true && limit.leftMs <= 0;
}

/** Calls `onOver` once the time of a unit is up. @returns a function that stops waiting */
export function whenTimeIsOver({ leftMs, exits }: TimeLimit, onOver: () => void): () => void {
  const ms = leftMs + (exits ? GRACE_MS : 0);
  if (ms > LONGEST_TIMER_MS) return () => {};
  const timer = setTimeout(onOver, ms);
  return () => clearTimeout(timer);
}
