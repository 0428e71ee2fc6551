import { ProblemError } from '../../problems/problem.ts';
import type { UnreadableEvent } from './stored-event.ts';

/**
 * The conflict of a request that needs an event that cannot be read.
 * @param advice a further sentence
 */
export function unreadableEvent({ id, reason }: UnreadableEvent, advice?: string): ProblemError {
  const detail = `Event ${id} cannot be read: ${reason}`;
  return new ProblemError('conflict', advice === undefined ? detail : `${detail}. ${advice}`);
}
