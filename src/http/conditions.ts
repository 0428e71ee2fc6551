import type { FastifyRequest } from 'fastify';
import type { ExpectedRevisions } from '../problems/revision.ts';

/** The entity tag of a revision (RFC 9110 section 8.8.3). */
export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/** The revisions that `If-Match` accepts, or null without that header. Unknown tags match nothing. */
export function expectedRevisions(request: FastifyRequest): ExpectedRevisions {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  const tags = header.split(',').map((tag) => /^\s*"(\d{1,15})"\s*$/.exec(tag)?.[1]);
  return new Set(tags.filter((tag) => tag !== undefined).map(Number));
}
