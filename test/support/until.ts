import assert from 'node:assert/strict';
import { DEADLINE_MS } from './deadline.ts';

/** Waits until `condition` answers something other than false, null or undefined, and answers it. Fails after `deadlineMs`. */
export async function until<T>(
  condition: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  what: string,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  while (true) {
    const value = await condition();
    if (value !== null && value !== undefined && value !== false) return value;
    assert.ok(performance.now() < end, `not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
