import { PackageError } from '../../course-packages/package-error.ts';
import { ProblemError } from '../../problems/problem.ts';

/** ENOSPC: the disk is full; EDQUOT: so is what this user may have of it. */
const NO_SPACE: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/** A failure to take a package in, as its uploader is told of it; what is none of their business stays as it is. */
export function toUploadProblem(error: unknown): unknown {
  if (error instanceof PackageError) {
    return new ProblemError('invalid-package', error.message, {
      errors: [{ pointer: '/file', detail: error.message }],
      cause: error,
    });
  }
  if (NO_SPACE.includes((error as NodeJS.ErrnoException | null)?.code)) {
    return new ProblemError('unavailable', 'The service does not have enough disk space for the package', {
      cause: error,
    });
  }
  return error;
}
