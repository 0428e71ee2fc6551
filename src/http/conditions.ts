import type { FastifyRequest } from 'fastify';
import type { ExpectedRevisions } from '../problems/revision.ts';

/** The entity tag of a revision (RFC 9110 section 8.8.3). */
export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/** The tag of a revision, also as proxies change it when they compress the response: `W/"3"`, `"3-gzip"`. */
const REVISION_TAG = /^\s*(?:W\/)?"(\d{1,15})(?:[-;](?:gzip|br|deflate|zstd))?"\s*$/;

/**
 * The revisions that `If-Match` accepts, or null without that header. Unknown tags match nothing. RFC 9110 excludes
 * weak tags because the bytes may differ. Here the tag identifies the revision of the record, which is the same in
 * every encoding.
 */
export function expectedRevisions(request: FastifyRequest): ExpectedRevisions {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  const tags = header.split(',').map((tag) => REVISION_TAG.exec(tag)?.[1]);
  return new Set(tags.filter((tag) => tag !== undefined).map(Number));
}
