import assert from 'node:assert/strict';
import { DEADLINE_MS } from './deadline.ts';

/** The longer a wait lasts, the longer the pauses between checks, because checking slows the awaited work. */
const PART_OF_WAIT = 0.05;
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** Whether something succeeds, for a wait until it does. */
export async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  );
}

/** Waits until `condition` returns something other than false, null or undefined, and returns it. Fails after `deadlineMs`. */
export async function until<T>(
  condition: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  what: string,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const start = performance.now();
  while (true) {
    const value = await condition();
    if (value !== null && value !== undefined && value !== false) return value;
    const waitedMs = performance.now() - start;
    assert.ok(waitedMs < deadlineMs, `not within ${deadlineMs} ms: ${what}`);
    const pauseMs = Math.min(Math.max(waitedMs * PART_OF_WAIT, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
