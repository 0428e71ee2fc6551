import type { FastifyRequest } from 'fastify';

/** The header field of requests that a page of the admin UI repeats by itself while nobody uses it. */
const UNATTENDED = 'coursewire-unattended';

/** Whether nobody caused this request: it does not count as use of a session. */
export function isUnattended({ headers }: FastifyRequest): boolean {
  return headers[UNATTENDED] !== undefined;
}
