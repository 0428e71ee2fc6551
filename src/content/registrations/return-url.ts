import { isLoopbackHost } from '../../settings/networks.ts';

/** Keeps launch links short enough for every browser and proxy. */
export const MAX_RETURN_URL_LENGTH = 1_000;

/**
 * Where learners return to, from the launch call; null if it cannot be used. It is part of the signed launch
 * link, so only the caller of the API can choose it.
 * @param takesLoopback whether the service itself is on loopback, where its clients are too
 */
export function readReturnUrl(given: string, takesLoopback: boolean): string | null {
  const url = /^https?:\/\/[^\s\\]+$/i.test(given) ? URL.parse(given) : null;
  const isTaken =
    url !== null &&
    // Percent-encoded: each character of another alphabet becomes up to twelve.
    url.href.length <= MAX_RETURN_URL_LENGTH &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'https:' || (takesLoopback && isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''))));
  return isTaken ? url.href : null;
}

/** The requirements for a return URL, for the error of one that cannot be used. */
export function returnUrlRule(takesLoopback: boolean): string {
  const allowed = takesLoopback ? 'an https:// URL, or an http:// URL on loopback,' : 'an https:// URL';
  return `must be ${allowed} without credentials, of at most ${MAX_RETURN_URL_LENGTH} characters when percent-encoded`;
}
