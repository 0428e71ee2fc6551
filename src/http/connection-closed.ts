import { ProblemError } from '../problems/problem.ts';

/** The problem of a request whose connection is closed before it is handled. Nobody receives it. */
export function connectionClosed(): ProblemError {
  return new ProblemError('invalid-request', 'The connection was closed before the request was complete');
}
