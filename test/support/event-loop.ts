import { setTimeout as delay } from 'node:timers/promises';
import { processorMs } from './processor-speed.ts';

/** Time between two measurements of this thread, in milliseconds. */
const LOOK_EVERY_MS = 2;

/**
 * The longest time, in ms of this thread's processor time, for which the work blocked the event loop. Time for
 * which a busy machine gave the processor to other programs does not count, so the result is the same on any machine of
 * this speed.
 */
export async function longestStallDuring(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = processorMs();
  const look = () => {
    const now = processorMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  try {
    await work();
    // A stall is visible once the loop turns again.
    await delay(2 * LOOK_EVERY_MS);
  } finally {
    clearInterval(timer);
  }
  return longest;
}
