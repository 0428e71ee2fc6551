import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';

/** Tells the origin (RFC 6454) at which a request's sender sees the service, such as `https://example.com`. */
export type ServiceOrigin = (request: FastifyRequest) => string;

/**
 * The origin of `base_url`; without one, what the request's own Host says. A page elsewhere that makes its name
 * resolve to this service has its own name as Host, and with it neither cookies of ours nor anyone's password.
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
 * Refuses a request that a page of another origin may have sent with the person's cookies. Browsers send `Origin`
 * with every request that is not GET or HEAD (Fetch standard, "append a request Origin header").
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
