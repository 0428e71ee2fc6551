import type { TimeLimit } from './server.ts';

/** A course that measures the time itself ends on its own, with a better message than a frame that disappears. */
const GRACE_MS = 5_000;
/** The longest delay of a browser's timer, in ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Whether a unit has no time left and therefore ends. */
export function isUsedUp(limit: TimeLimit | null): boolean {
  return limit?.exits === true && limit.leftMs <= 0;
}

/** Calls `call` once the time of a unit is up. @returns a function that stops waiting */
export function whenTimeIsOver(limit: TimeLimit | null, call: (limit: TimeLimit) => void): () => void {
  if (limit === null) return () => {};
  const ms = limit.leftMs + (limit.exits ? GRACE_MS : 0);
  if (ms > LONGEST_TIMER_MS) return () => {};
  const timer = setTimeout(() => call(limit), ms);
  return () => clearTimeout(timer);
}
