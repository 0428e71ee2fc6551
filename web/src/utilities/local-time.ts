const MINUTE_LENGTH = 'YYYY-MM-DDTHH:mm'.length;
const MS_PER_MINUTE = 60_000;

/** The value of a `datetime-local` field, in the time zone of this machine, as a time of the API; null if it is none. */
export function toInstant(local: string): string | null {
  const time = new Date(local);
  return local === '' || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** A time of the API as the value of a `datetime-local` field: its minute in the time zone of this machine. */
export function toLocalTime(instant: string): string {
  const time = new Date(instant);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * MS_PER_MINUTE);
  return shifted.toISOString().slice(0, MINUTE_LENGTH);
}
