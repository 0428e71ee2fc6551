import assert from 'node:assert/strict';
import type { AccountChanger } from './account-events.ts';
import { firstArrivals, type Listener } from './listener.ts';

/** From when to when an instance was dead, frozen or starting, by `performance.now()`. */
export interface FaultSpan {
  from: number;
  to: number;
}

/** On a busy machine, requests of an instance may be read some time after its death. */
const LATE_MS = 15_000;

/**
 * Asserts that each repeat of a webhook has a cause: a failure or an unread response right before it, or an instance that was killed, stopped
 * or frozen with the message in flight. An instance has one message of a webhook in flight.
 * @param leaseMs after this time, others deliver the messages that an instance had in flight
 * @returns how many repeats are explained by instances
 */
export function faultsFoundIn(
  { arrivals }: Listener,
  { faults, leaseMs, about }: { faults: readonly FaultSpan[]; leaseMs: number; about: string },
): number {
  const last = new Map<string, { at: number; text: string }>();
  const unused = new Set(faults);
  let explained = 0;
  for (const [n, { messageId, text, at = 0 }] of arrivals.entries()) {
    const earlier = last.get(messageId);
    last.set(messageId, { at, text });
    if (earlier === undefined) continue;
    assert.equal(text, earlier.text, `${about}: changed between attempts`);
    const before = arrivals[n - 1]!;
    if (before.messageId === messageId && (!before.taken || before.isUnread === true)) continue;
    const fault = [...unused].find(
      ({ from, to }) => earlier.at >= from - leaseMs && earlier.at <= to + LATE_MS && at >= from,
    );
    assert.ok(fault !== undefined, `${about}: ${messageId} was repeated without a reason`);
    unused.delete(fault);
    explained += 1;
  }
  return explained;
}

/**
 * The longest time, in ms, for which the target received nothing although messages waited. It counts from the last
 * fault, and not while no instance polls.
 */
export function longestBlockedMs(
  listener: Listener,
  {
    changers,
    faults,
    idle,
  }: { changers: readonly AccountChanger[]; faults: readonly FaultSpan[]; idle: readonly FaultSpan[] },
): number {
  const answeredAt = changers.flatMap(({ answers }) => answers).toSorted((a, b) => a - b);
  const starts = [...faults.flatMap(({ from, to }) => [from, to]), ...idle.map(({ to }) => to)];
  const firsts = new Map(firstArrivals(listener).map((arrival, n) => [arrival, n]));
  let longest = 0;
  let previousAt = 0;
  let next = 0;
  for (const arrival of listener.arrivals) {
    const { at = 0 } = arrival;
    // This many messages had arrived before this request. The next one waited since the response to its change.
    const waitingSince = Math.max(previousAt, answeredAt[next] ?? at);
    const since = Math.max(waitingSince, ...starts.filter((start) => start <= at));
    longest = Math.max(longest, at - since);
    previousAt = at;
    if (firsts.has(arrival)) next += 1;
  }
  return longest;
}
