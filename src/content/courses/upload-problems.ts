import { PackageError } from '../../course-packages/package-error.ts';
import { ProblemError } from '../../problems/problem.ts';

/** ENOSPC: the disk is full. EDQUOT: the quota of this user is exhausted. */
const NO_SPACE: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/** In seconds. Other uploads may end and free their space. */
const NO_SPACE_RETRY_AFTER = '30';

/** Maps a failed import to a problem for the uploader. Other errors are returned unchanged. */
export function toUploadProblem(error: unknown): unknown {
  if (error instanceof PackageError) {
    return new ProblemError('invalid-package', error.message, {
      errors: [{ pointer: '/file', detail: error.message }],
      cause: error,
    });
  }
  if (NO_SPACE.includes((error as NodeJS.ErrnoException | null)?.code)) {
    return new ProblemError('unavailable', 'The service does not have enough disk space for the package', {
      headers: { 'Retry-After': NO_SPACE_RETRY_AFTER },
      cause: error,
    });
  }
  return error;
}
