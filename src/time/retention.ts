import { DAY_MS } from './units.ts';

/** A day of the settings that say for how many days data is kept. */
const RETENTION_DAY_MS = DAY_MS;

/** The time, in epoch milliseconds, before which data with a retention of `days` is removed. */
export function retainedSince(now: number, days: number): number {
  return now - days * RETENTION_DAY_MS;
}
