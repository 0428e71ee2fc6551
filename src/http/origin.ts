import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';

/**
 * Returns the origin (RFC 6454) at which the sender of a request sees the service, such as
 * `https://example.com`.
 */
export type ServiceOrigin = (request: FastifyRequest) => string;

/**
 * The origin of `base_url` or, without one, of the `Host` header of the request. If another page makes its host
 * name resolve to this service, `Host` is that name, and the browser sends none of our cookies.
 */
export function serviceOrigin(baseUrl: string | null): ServiceOrigin {
  if (baseUrl === null) return (request) => `${request.protocol}://${request.host}`;
  const { origin } = new URL(baseUrl);
  return () => origin;
}

/** Whether a request may change anything. */
export function changesSomething(request: FastifyRequest): boolean {
  return request.method !== 'GET' && request.method !== 'HEAD';
}

/**
 * Rejects a request that a page of another origin may have sent with the cookies of the person. Browsers send
 * `Origin` with every request that is not GET or HEAD (Fetch standard, "append a request Origin header").
 * @throws {ProblemError} `forbidden`
 */
export function assertSameOrigin(request: FastifyRequest, origin: ServiceOrigin): void {
  if (request.headers.origin === origin(request)) return;
  throw new ProblemError(
    'forbidden',
    `Changes are accepted only from pages of ${origin(request)}, but this request has another Origin or none. ` +
      'Open the service at that address.',
  );
}

/**
 * Rejects a request that a page of another origin caused, if the browser says so. For requests that a cookie decides:
 * `SameSite` does not keep cookies from other ports and host names of the same site. Browsers set `Sec-Fetch-Site`, which
 * no script can change, for https and loopback addresses. `none` means the person, such as with a typed address.
 * @see W3C, "Fetch Metadata Request Headers", on `Sec-Fetch-Site`
 * @throws {ProblemError} `forbidden`
 */
export function assertNotFromOtherOrigin(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new ProblemError(
    'forbidden',
    'The browser says that another page caused this request, so its session does not count. ' +
      'Open the admin UI, or enter the address in the browser.',
  );
}
