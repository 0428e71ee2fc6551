import { isIP } from 'node:net';
import { MAX_CREDENTIAL_LENGTH, MAX_EMAIL_LENGTH, MAX_URL_LENGTH } from '../text-lengths.ts';
import { text } from './parser.ts';

/** Units, limits and forms of the values of settings. */

/** In seconds, like all settings that are durations. */
export const MINUTE = 60;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** In seconds: the longest `delivery_timeout` and `retry_max_delay`. */
export const MAX_DELIVERY_TIMEOUT = 600;
export const MAX_RETRY_DELAY = 7 * DAY;

/** Maximum length of the path of a folder. */
export const MAX_PATH_LENGTH = 4_096;
const MAX_HOST_NAME_LENGTH = 253;
const AUTH_SECRET_LENGTH = 64;
const QUEUE_NAME = /^[\w.-]{1,80}$/;
/** The form of the name of an AWS region. */
export const AWS_REGION = /^[a-z]{2,}(-[a-z0-9]+){1,4}$/;

/** A secret from which keys are derived. */
export const authSecret = text({
  allowed: `exactly ${AUTH_SECRET_LENGTH} characters`,
  read: (given) => ([...given].length === AUTH_SECRET_LENGTH ? given : undefined),
});

/** The name of a queue. */
export const queueName = text({
  allowed: '1 to 80 letters, digits, dots, hyphens and underscores',
  read: (given) => (QUEUE_NAME.test(given) ? given : undefined),
});

/**
 * A URL whose password has a bare `/`, `?` or `#`: it ends the host early, so that the rest of the password is treated as the name of
 * the database, which errors show.
 */
const BARE_CHARACTER_IN_PASSWORD = /^\w+:\/\/[^/?#@]*[/?#](?!.*[?&]user=).*@/;

/** The URL of a PostgreSQL database; undefined if it is invalid. */
export function readDatabaseUrl(given: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\/[^\s]+$/.test(given) || given.length > MAX_URL_LENGTH) return undefined;
  if (BARE_CHARACTER_IN_PASSWORD.test(given)) return undefined;
  return URL.canParse(given) ? given : undefined;
}

/** The URL of a server, without a trailing slash. */
export const baseUrl = text({
  allowed: `an http:// or https:// URL without credentials, query and fragment, of at most ${MAX_URL_LENGTH} characters`,
  read: readBaseUrl,
});

function readBaseUrl(given: string): string | undefined {
  // The URL parser would remove white space and add missing slashes.
  if (!/^https?:\/\/[^\s?#\\]+$/i.test(given) || given.length > MAX_URL_LENGTH) return undefined;
  const url = URL.parse(given);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  return url.href.replace(/\/+$/, '');
}

/** The URL of the content origin, perhaps with `{launch}.` before its host name; undefined if it is invalid. */
export function readContentBaseUrl(given: string): string | undefined {
  const wildcard = /^(https?:\/\/)\{launch\}\.(?=[^/])/i;
  const read = readBaseUrl(given.replace(wildcard, '$1'));
  if (read === undefined || /[{}]/.test(read) || new URL(read).pathname !== '/') return undefined;
  return wildcard.test(given) ? read.replace('://', '://{launch}.') : read;
}

/** A host name or an IP address; undefined if it is invalid. */
export function readHostName(given: string): string | undefined {
  if (given.length > MAX_HOST_NAME_LENGTH) return undefined;
  return isIP(given) !== 0 || /^[a-z\d_]([a-z\d_.-]*[a-z\d_])?\.?$/i.test(given) ? given : undefined;
}

/** Without spaces, quotes and angle brackets, which could add something to a header field. */
export function readEmailAddress(given: string): string | undefined {
  return given.length <= MAX_EMAIL_LENGTH && /^[^\s@<>",;:()[\]\\]+@[^\s@<>",;:()[\]\\]+$/.test(given)
    ? given
    : undefined;
}

/** A user name or a password. */
export const credential = text({
  allowed: `1 to ${MAX_CREDENTIAL_LENGTH} characters`,
  read: (given) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
    given !== '' && given.length <= MAX_CREDENTIAL_LENGTH && !/[\u0000-\u001f\u007f]/.test(given)
      ? given
      : undefined,
});
