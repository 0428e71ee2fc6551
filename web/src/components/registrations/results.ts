import { MAX_SCORE } from '../../../../src/content/registrations/registration.ts';
import { registrations } from '../../texts/registrations.ts';

const SECONDS_A_MINUTE = 60;
const SECONDS_AN_HOUR = 3_600;
const CLOCK = /^(?:(?:(\d{1,9}):)?(\d{1,9}):)?(\d{1,12})$/;
/** Any stored score fits, so that a form can save it unchanged: `66.66666666666667`, `1e-7`. */
const DECIMAL = /^\d{1,3}(?:[.,]\d{1,25})?(?:e-\d{1,3})?$/;
const score = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** `83.5`; a dash for null. */
export function formatScore(value: number | null): string {
  return value === null ? registrations.noScore : score.format(value);
}

/** Whole seconds as `1:30:00`. */
export function formatSeconds(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / SECONDS_AN_HOUR);
  const minutes = Math.floor((seconds % SECONDS_AN_HOUR) / SECONDS_A_MINUTE);
  return `${hours}:${two(minutes)}:${two(seconds % SECONDS_A_MINUTE)}`;
}

/** Seconds from `1:30:00`, `30:00` or `90`; empty is 0; undefined if invalid. */
export function parseSeconds(text: string): number | undefined {
  if (text.trim() === '') return 0;
  const match = CLOCK.exec(text.trim());
  if (match === null) return undefined;
  const [, hours = '0', minutes = '0', rest = '0'] = match;
  const seconds = Number(hours) * SECONDS_AN_HOUR + Number(minutes) * SECONDS_A_MINUTE + Number(rest);
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}

/** A score from 0 to 100, with a point or a comma; empty is null; undefined if invalid. */
export function parseScore(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  if (!DECIMAL.test(text.trim())) return undefined;
  const value = Number(text.trim().replace(',', '.'));
  return value <= MAX_SCORE ? value : undefined;
}
