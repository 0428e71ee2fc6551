import { DAY_MS } from './units.ts';

/** The time, in epoch milliseconds, before which data with a retention of `days` is removed. */
export function retainedSince(now: number, days: number): number {
  return now - days * DAY_MS;
}
