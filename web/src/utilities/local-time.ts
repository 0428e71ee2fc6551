const MINUTE_LENGTH = 'YYYY-MM-DDTHH:mm'.length;
const MS_PER_MINUTE = 60_000;

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

/** Converts a time of the API to the value of a `datetime-local` field: its minute in the time zone of this machine. */
export function toLocalTime(instant: string): string {
  const time = new Date(instant);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * MS_PER_MINUTE);
  return shifted.toISOString().slice(0, MINUTE_LENGTH);
}
