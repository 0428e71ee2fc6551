/** The maximum deviation from a step of the schedule in either direction, as a fraction of the step. */
const RETRY_JITTER = 0.2;

/** Keeps the power of two finite. Every maximum is reached much earlier. */
const MAX_DOUBLINGS = 1_000;

/** The inputs of the delay before another attempt. */
export interface RetryDelayInput {
  /** The number of attempts so far, including the one that just failed. */
  readonly attempt: number;
  /** The delay after the first attempt, in milliseconds. */
  readonly initialDelayMs: number;
  /** The maximum delay, in milliseconds. */
  readonly maxDelayMs: number;
  /** The wait that the target asked for (`Retry-After`), in milliseconds; null if it did not. */
  readonly retryAfterMs: number | null;
  /** Returns numbers from 0 up to but not including 1, such as `Math.random`. */
  readonly random: () => number;
}

/**
 * The whole milliseconds to wait after attempt n before attempt n+1.
 *
 * The step of the schedule is the initial delay, doubled with each attempt (initial, 2 × initial, 4 × initial, …),
 * up to the maximum. The delay is random: uniform within 20 % of the step in both directions, and never more than
 * the maximum. So webhooks whose targets failed at the same time are not retried at the same time.
 *
 * A target's `Retry-After` can lengthen the delay up to the maximum, but never shorten it. So a target can neither
 * cause a tight loop of requests, nor postpone its messages forever.
 */
export function retryDelay(input: RetryDelayInput): number {
  const { attempt, initialDelayMs, maxDelayMs, retryAfterMs, random } = input;
  const doublings = Math.min(Math.max(attempt, 1) - 1, MAX_DOUBLINGS);
  const step = Math.min(initialDelayMs * 2 ** doublings, maxDelayMs);
  const shortest = step * (1 - RETRY_JITTER);
  const longest = Math.min(step * (1 + RETRY_JITTER), maxDelayMs);
  const scheduled = shortest + random() * (longest - shortest);
  const delay = Math.max(scheduled, retryAfterMs ?? 0);
  return Math.min(Math.ceil(delay), Math.floor(maxDelayMs));
}
