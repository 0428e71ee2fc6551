import { ApiError, HTTP_UNAUTHORIZED } from './errors.ts';

/** A problem in words, for the person at the page. */
export interface SessionProblem {
  title: string;
  detail: string;
}

let problem: SessionProblem | null = null;

/**
 * Notes that someone other than the person for whom the page was opened has signed in, in another tab.
 * @param refusal the problem of further changes; null if the session is that of the person
 */
export function noteOtherSession(refusal: SessionProblem | null): void {
  problem = refusal;
}

/** Whether the cookie of the session is that of someone else, under whose name the service would make changes. */
export function isOtherSession(): boolean {
  return problem !== null;
}

/** @throws {ApiError} as after the end of a session, if someone else has signed in */
export function assertOwnSession(): void {
  if (problem !== null) throw new ApiError(HTTP_UNAUTHORIZED, { ...problem }, null);
}
