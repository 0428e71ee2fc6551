import { setTimeout as delay } from 'node:timers/promises';
import { processorMs } from './processor-speed.ts';

/** Between two looks at what this thread has done, in milliseconds. */
const LOOK_EVERY_MS = 2;

/**
 * The longest time, in ms of this thread's processor time, for which the event loop did not turn while the work ran. Time for
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
    // A stall shows once the loop turns again.
    await delay(2 * LOOK_EVERY_MS);
  } finally {
    clearInterval(timer);
  }
  return longest;
}
