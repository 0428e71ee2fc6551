import { account } from '../texts/sign-in.ts';
import { ApiError } from './errors.ts';

const { again: title, againDescription: detail } = account.signIn;

let isTaken = false;

/** Notes whether someone other than the person for whom the page was opened has signed in, in another tab. */
export function noteOtherSession(other: boolean): void {
  isTaken = other;
}

/** Whether the cookie of the session is that of someone else, under whose name the service would make changes. */
export function isOtherSession(): boolean {
  return isTaken;
}

/** @throws {ApiError} 401, as after the end of a session, if someone else has signed in */
export function assertOwnSession(): void {
  if (isTaken) throw new ApiError(401, { title, detail }, null);
}
