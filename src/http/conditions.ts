import type { FastifyRequest } from 'fastify';
import { invalidInput } from '../problems/problem.ts';
import type { ExpectedRevisions } from '../problems/revision.ts';

/** The entity tag of a revision (RFC 9110 section 8.8.3). */
export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/** The tag of a revision, also as proxies change it when they compress the response: `W/"3"`, `"3-gzip"`. */
const REVISION_TAG = /^(?:W\/)?"(\d{1,15})(?:[-;](?:gzip|br|deflate|zstd))?"$/;

/** An entity tag in a list (RFC 9110 section 8.8.3). */
const TAG = /(?:W\/)?"[^"\s]*"/g;
const LIST_OF_TAGS = new RegExp(`^\\s*${TAG.source}(?:\\s*,\\s*${TAG.source})*\\s*$`);

/**
 * The revisions that `If-Match` accepts, or null without that header. Unknown tags match nothing. RFC 9110 excludes
 * weak tags because the bytes may differ. Here the tag identifies the revision of the record, which is the same in
 * every encoding.
 * @throws {ProblemError} `invalid-request` for a tag without its quotes and the like. As a tag that matches nothing, it
 *   would tell the client again and again that the resource has changed.
 */
export function expectedRevisions(request: FastifyRequest): ExpectedRevisions {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  if (!LIST_OF_TAGS.test(header)) {
    throw invalidInput([
      {
        pointer: '/headers/If-Match',
        detail: 'must be the ETag of the record as it was sent, with its quotes: "3"',
      },
    ]);
  }
  const revisions = (header.match(TAG) ?? []).map((tag) => REVISION_TAG.exec(tag)?.[1]);
  return new Set(revisions.filter((revision) => revision !== undefined).map(Number));
}
