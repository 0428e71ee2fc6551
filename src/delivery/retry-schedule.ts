/** The largest deviation from a step of the schedule, in either direction, as a fraction of the step. */
const RETRY_JITTER = 0.2;

/** Keeps the power of two finite, so that no delay doubled is no delay; any maximum is met long before. */
const MAX_DOUBLINGS = 1_000;

/** What the delay before another attempt depends on. */
export interface RetryDelayInput {
  /** How many attempts were made, the one that just failed included: 1 or more. */
  readonly attempt: number;
  /** The delay after the first attempt, in milliseconds. */
  readonly initialDelayMs: number;
  /** The longest delay, in milliseconds. */
  readonly maxDelayMs: number;
  /** How long the target asked the sender to wait (`Retry-After`), in milliseconds; null if it did not. */
  readonly retryAfterMs: number | null;
  /** A source of numbers from 0 up to but without 1, such as `Math.random`. */
  readonly random: () => number;
}

/**
 * How many whole milliseconds to wait after attempt n before attempt n+1.
 *
 * The schedule's step is the initial delay, doubled with each attempt (initial, 2 × initial, 4 × initial, …), but at
 * most the maximum. The delay is drawn evenly from the span of 20 % to either side of that step, cut off at the
 * maximum: once the maximum is reached, from 80 % of it to all of it. So webhooks whose targets failed together do not
 * come back together, and no delay exceeds the maximum.
 *
 * A target's `Retry-After` can lengthen the delay up to the maximum, but never shorten it. So a target can neither make
 * the service call it in a loop, nor postpone its messages for ever.
 */
export function retryDelay(input: RetryDelayInput): number {
  const { attempt, initialDelayMs, maxDelayMs, retryAfterMs, random } = input;
  const doublings = Math.min(Math.max(attempt, 1) - 1, MAX_DOUBLINGS);
  const step = Math.min(initialDelayMs * 2 ** doublings, maxDelayMs);
  const shortest = step * (1 - RETRY_JITTER);
  const longest = Math.min(step * (1 + RETRY_JITTER), maxDelayMs);
  const scheduled = shortest + random() * (longest - shortest);
  const delay = Math.max(scheduled, Math.min(retryAfterMs ?? 0, maxDelayMs));
  return Math.min(Math.ceil(delay), Math.floor(maxDelayMs));
}
