import { plainText } from './failure-reason.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What may contain a token, also encoded within a path: the query, and parameters such as `;jsessionid=…`. */
const AFTER_PATH = /(?:[?;#]|%3[bf]).*$/i;

/**
 * Adds to the reason of a redirect where it leads and that it was not followed: `308 Permanent Redirect to
 * https://example.com/hook/, not followed`. Other reasons are returned unchanged.
 * @param options.location the `Location` of the response
 * @param options.url the URL of the request
 * @param options.censored removes secrets from the address before it is shortened
 */
export function redirectReason(
  reason: string,
  {
    status,
    location,
    url,
    censored = (text) => text,
  }: { status: number; location: string | undefined; url: string; censored?: (text: string) => string },
): string {
  if (!REDIRECTS.has(status) || location === undefined) return reason;
  const to = URL.parse(location, url);
  if (to === null || to.host === '') return `${reason}, not followed`;
  const address = censored(`${to.protocol}//${to.host}${to.pathname.replace(AFTER_PATH, '')}`);
  return `${reason} to ${plainText(address)}, not followed`;
}
