import { ProblemError } from '../../problems/problem.ts';

/**
 * The conflict of a request that needs the body of a message that cannot be read.
 * @param reason the end of the sentence
 */
export function unreadableConflict(reason: string): ProblemError {
  return new ProblemError('conflict', `The message cannot be read: ${reason}`);
}
