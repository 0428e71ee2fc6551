import { ProblemError } from '../../../problems/problem.ts';
import type { DocumentRow } from './document-store.ts';

/** The preconditions of a request, as in its header fields. */
export interface DocumentConditions {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/** Whether a change needs a precondition: never, only if it replaces a document, or always. */
export type ConditionNeed = 'none' | 'to replace' | 'always';

/**
 * Refuses a change whose preconditions do not hold, or that needs one and has none.
 * @throws {ProblemError} `invalid-request`, `conflict`, `precondition-failed`
 */
export function assertConditions(
  current: Pick<DocumentRow, 'etag'> | undefined,
  { ifMatch, ifNoneMatch }: DocumentConditions,
  need: ConditionNeed,
): void {
  if (ifMatch === undefined && ifNoneMatch === undefined) {
    if (need === 'none') return;
    if (current === undefined) {
      if (need === 'to replace') return;
      throw new ProblemError(
        'invalid-request',
        'Send If-None-Match: * to create a document, or If-Match with the ETag of the document to replace',
      );
    }
    throw new ProblemError(
      'conflict',
      'The document already exists: read it, then send If-Match with its ETag to replace it, or ' +
        'If-None-Match: * to replace none',
    );
  }
  const failed =
    (ifMatch !== undefined && (current === undefined || !matches(ifMatch, current.etag))) ||
    (ifNoneMatch !== undefined && current !== undefined && matches(ifNoneMatch, current.etag));
  if (failed)
    throw new ProblemError('precondition-failed', 'The document is not the one that the request expects');
}

function matches(field: string, etag: string): boolean {
  const tags = field.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  // Some client libraries omit the quotation marks.
  return tags.some((tag) => tag === '*' || tag === etag || `"${tag}"` === etag);
}
