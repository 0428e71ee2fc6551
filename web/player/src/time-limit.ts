import type { TimeLimit } from './server.ts';

/** A course that keeps the time itself ends on its own, with better words than a frame that goes away. */
const GRACE_MS = 5_000;
/** The longest delay of a browser's timer, in ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Whether no time is left for a unit that ends without any. */
export function isUsedUp(limit: TimeLimit | null): boolean {
  return limit?.exits === true && limit.leftMs <= 0;
}

/** Calls once the time of a unit is over. @returns what ends waiting for that */
export function whenTimeIsOver(limit: TimeLimit | null, call: (limit: TimeLimit) => void): () => void {
  if (limit === null) return () => {};
  const ms = limit.leftMs + (limit.exits ? GRACE_MS : 0);
  if (ms > LONGEST_TIMER_MS) return () => {};
  const timer = setTimeout(() => call(limit), ms);
  return () => clearTimeout(timer);
}
