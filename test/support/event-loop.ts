import { setTimeout as delay } from 'node:timers/promises';

/** Between two looks at what this thread has done, in milliseconds. */
const LOOK_EVERY_MS = 2;
const US_PER_MS = 1_000;

/**
 * The longest time, in ms of this thread's processor time, for which the event loop did not turn while the work ran. Time for
 * which a busy machine gave the processor to other programs does not count, so the result is the same on any machine of
 * this speed.
 */
export async function longestStallDuring(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = cpuMs();
  const look = () => {
    const now = cpuMs();
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

/** Processor time that this thread has used. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_PER_MS;
}
