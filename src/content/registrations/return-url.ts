import { invalidInput } from '../../problems/problem.ts';
import { isLoopbackHost } from '../../settings/networks.ts';

/**
 * Where learners return to, from the launch call; null if it is omitted. It is part of the signed launch link, so only
 * the caller of the API can choose it.
 * @param takesLoopback whether the service itself is on loopback, where its clients are too
 * @throws {ProblemError} `invalid-request`
 */
export function readReturnUrl(given: string | null, takesLoopback: boolean): string | null {
  if (given === null) return null;
  const url = /^https?:\/\/[^\s\\]+$/i.test(given) ? URL.parse(given) : null;
  const isTaken =
    url !== null &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'https:' || (takesLoopback && isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''))));
  if (isTaken) return url.href;
  const allowed = takesLoopback ? 'an https:// URL, or an http:// URL on loopback,' : 'an https:// URL';
  throw invalidInput([{ pointer: '/return_url', detail: `must be ${allowed} without credentials` }]);
}
