import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';

/**
 * A host name or an IP address, and possibly a port (RFC 3986 section 3.2.2). Host names have none of the characters that
 * separate the parts of a URL, such as `@` or a comma.
 */
const HOST = /^(?:(?:[\w.~-]|%[0-9a-f]{2})*|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;

/**
 * Rejects requests with several `Host` fields or an invalid one (RFC 9112 section 3.2), which a proxy may read differently.
 * Responses contain the host. Node rejects HTTP/1.1 requests without a `Host` field.
 */
export function requireOneHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (hasSeveralHosts(request))
      done(new ProblemError('invalid-request', 'The request has several Host fields'));
    else if (!hasValidHost(request))
      done(
        new ProblemError('invalid-request', 'The Host field is not a host name or IP address with a port'),
      );
    else done();
  });
}

/** Node's `headers` contain only the first field. */
function hasSeveralHosts({ raw: { rawHeaders } }: FastifyRequest): boolean {
  const isHost = (field: string, place: number) =>
    place % 2 === 0 && field.length === 4 && field.toLowerCase() === 'host';
  return rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost);
}

/** Trusted proxies replace the host. */
function hasValidHost({ headers, host }: FastifyRequest): boolean {
  return HOST.test(headers.host ?? '') && HOST.test(host);
}
