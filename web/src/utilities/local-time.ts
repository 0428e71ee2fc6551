import { MINUTE_MS } from '../../../src/time/units.ts';

const MINUTE_LENGTH = 'YYYY-MM-DDTHH:mm'.length;
const TIME_START = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

/** The `max` of every `datetime-local` field. Without it, browsers accept years of six digits. */
export const LATEST_LOCAL_TIME = '9999-12-31T23:59';

/**
 * Converts the value of a `datetime-local` field, in the time zone of this machine, to a time of the API; null if it is
 * invalid.
 */
export function toInstant(local: string): string | null {
  const time = new Date(local);
  return local === '' || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/**
 * Converts a time to the form that addresses contain (`2026-11-25T13:00Z`); null if it is invalid. Text without a time
 * zone is in that of this machine: the value of a field, or part of an old address.
 */
export function toAddressTime(text: string): string | null {
  const instant = TIME_START.test(text) ? toInstant(text) : null;
  return instant !== null && TIME_START.test(instant) ? instant.replace(':00.000Z', 'Z') : null;
}

/** Converts a time of the API to the value of a `datetime-local` field: its minute in the time zone of this machine. */
export function toLocalTime(instant: string): string {
  const time = new Date(instant);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS);
  return shifted.toISOString().slice(0, MINUTE_LENGTH);
}
