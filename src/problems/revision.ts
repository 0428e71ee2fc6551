import { ProblemError } from './problem.ts';

/** The revisions that a change may start from; null when the caller asks for none. */
export type ExpectedRevisions = ReadonlySet<number> | null;

/** @throws {ProblemError} `precondition-failed` when the present revision is not one of the expected. */
export function assertRevision(present: number, expected: ExpectedRevisions): void {
  if (expected !== null && !expected.has(present)) {
    throw new ProblemError(
      'precondition-failed',
      'The resource has changed since you read it. Read it again',
    );
  }
}
