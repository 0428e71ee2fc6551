import { isAbsoluteIri } from '../../../course-packages/standards/absolute-iri.ts';
import { parseDateTime } from '../../../time/date-time.ts';
import { DAY_MS, SECOND_MS } from '../../../time/units.ts';
import { isUuid as isLowerCaseUuid } from '../../../uuid.ts';

/** The data types of the Experience API (section 4 of "Data"). Each function describes the error in a value. */

/**
 * Checks a value. Returns the error, phrased to follow the value's name in a sentence, or null if the value is valid.
 */
export type Check = (value: unknown) => string | null;

const MAX_IRI_LENGTH = 4_000;
const EMAIL = /^mailto:[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/i;
const SHA1 = /^[0-9a-f]{40}$/i;
const SHA2 = /^(?:[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+(?:[ \t]*;.*)?$/i;
/** An offset from UTC. xAPI forbids minus zero. */
const OFFSET = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/i;
const NEGATIVE_ZERO = /-00(?::?00)?$/;
/** Digits of a second that make no difference in milliseconds. */
const MORE_DIGITS = /([.,]\d{9})\d+/;
const LEAP_SECOND = /^(?<minute>\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:)60/i;
const DURATION =
  /^P(?=.)(?:\d+(?:[.,]\d+)?W|(?:\d+(?:[.,]\d+)?Y)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?D)?(?:T(?=\d)(?:\d+(?:[.,]\d+)?H)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?S)?)?)$/;
/** A language tag of RFC 5646: langtag, private use, or one of the grandfathered tags. */
const LANGUAGE =
  /^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wyz\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?|x(?:-[a-z\d]{1,8})+|i-[a-z]{2,8}|en-GB-oed|sgn-(?:BE-(?:FR|NL)|CH-DE)|art-lojban|cel-gaulish|no-(?:bok|nyn)|zh-(?:guoyu|hakka|min|min-nan|xiang))$/i;

function text(fits: (value: string) => boolean, fault: string): Check {
  return (value) => (typeof value === 'string' && fits(value) ? null : fault);
}

export const isText: Check = text(() => true, 'must be a string');
export const isUuid: Check = text((value) => isLowerCaseUuid(value.toLowerCase()), 'must be a UUID');
export const isIri: Check = text(
  (value) => value.length <= MAX_IRI_LENGTH && isAbsoluteIri(value),
  `must be an absolute IRI of at most ${MAX_IRI_LENGTH} characters`,
);
export const isMailbox: Check = text(
  (value) => value.length <= MAX_IRI_LENGTH && EMAIL.test(value),
  'must be a mailto: IRI with one e-mail address',
);
export const isSha1: Check = text((value) => SHA1.test(value), 'must be a SHA-1 hash in hexadecimal digits');
export const isSha2: Check = text((value) => SHA2.test(value), 'must be a SHA-2 hash in hexadecimal digits');
export const isMediaType: Check = text((value) => MEDIA_TYPE.test(value), 'must be a media type');
export const isLanguage: Check = text(
  (value) => LANGUAGE.test(value),
  'must be a language tag as in RFC 5646',
);
export const isDuration: Check = text((value) => DURATION.test(value), 'must be an ISO 8601 duration');
export const isTimestamp: Check = text(
  (value) => parseTimestamp(value) !== null,
  'must be a date and time as in RFC 3339',
);

export const isBoolean: Check = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
/** JSON can contain larger numbers than JavaScript. They would be stored as null, which xAPI forbids. */
export const isNumber: Check = (value) => (Number.isFinite(value) ? null : 'must be a number');
export const isCount: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? null : 'must be a whole number';

/** Checks that a value is one of those listed. */
export function isOneOf(...values: readonly string[]): Check {
  return text((value) => values.includes(value), `must be ${values.join(' or ')}`);
}

/**
 * Parses a timestamp into epoch milliseconds; null if it is invalid. A timestamp without an offset is read as UTC. A leap
 * second is read as the first second of the next day.
 */
export function parseTimestamp(value: string): number | null {
  const time = value.slice('2000-01-01'.length);
  if (NEGATIVE_ZERO.test(time)) return null;
  const text = (OFFSET.test(time) ? value : `${value}Z`).replace(MORE_DIGITS, '$1');
  if (!LEAP_SECOND.test(text)) return parseDateTime(text);
  const before = parseDateTime(text.replace(LEAP_SECOND, '$<minute>59'));
  if (before === null) return null;
  const moment = before + SECOND_MS;
  return Math.floor(moment / SECOND_MS) % (DAY_MS / SECOND_MS) === 0 ? moment : null;
}
