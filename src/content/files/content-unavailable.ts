import { ProblemError } from '../../problems/problem.ts';

/** When a client may retry, in seconds. */
const RETRY_AFTER = '10';

/** The response while the files of courses cannot be reached. Only the log has the reason. */
export function contentUnavailable(cause: unknown): ProblemError {
  return new ProblemError('unavailable', 'Course files are temporarily unavailable', {
    headers: { 'Retry-After': RETRY_AFTER },
    cause,
  });
}
