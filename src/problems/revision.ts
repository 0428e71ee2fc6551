import { ProblemError } from './problem.ts';

/** The revisions that a change accepts, or null for any. */
export type ExpectedRevisions = ReadonlySet<number> | null;

/** @throws {ProblemError} `precondition-failed` if the current revision is not one of those expected. */
export function assertRevision(current: number, expected: ExpectedRevisions): void {
  if (expected !== null && !expected.has(current)) {
    throw new ProblemError(
      'precondition-failed',
      'The resource has changed since you read it. Read it again',
    );
  }
}
