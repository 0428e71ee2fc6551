import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../src/time/units.ts';
import { DemoFailure } from './failure.ts';

const POLL_INTERVAL_MS = 25;

/**
 * How long the demo waits for anything before it fails, in ms. Long enough for a busy machine: on a quiet one, nothing takes
 * a tenth of it.
 */
export const PATIENCE_MS = MINUTE_MS;

/** How a wait ends if its condition is never met. */
export interface WaitLimits {
  /** The awaited result, for people. */
  readonly what: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits for an operation that can be stopped by a signal.
 * @throws {DemoFailure} when it has not ended within the deadline; the reason of `signal` when that is aborted.
 */
export async function within<T>(
  { what, deadlineMs, signal }: WaitLimits,
  operation: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = AbortSignal.timeout(deadlineMs);
  try {
    return await operation(AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new DemoFailure(`not within ${deadlineMs / SECOND_MS} s: ${what}`);
    throw error;
  }
}

/** Repeats a call until it returns something other than null. @throws as {@link within} does */
export async function poll<T>(limits: WaitLimits, ask: () => Promise<T | null>): Promise<T> {
  return await within(limits, async (signal) => {
    while (true) {
      const answer = await ask();
      if (answer !== null) return answer;
      await sleep(POLL_INTERVAL_MS, undefined, { signal });
    }
  });
}

/** @throws the reason of `signal` when that is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}
