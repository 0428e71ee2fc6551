import type { InputError } from '../../../src/problems/problem.ts';

export type { InputError };

/** What the type of every problem of the service begins with. */
export const PROBLEM_TYPE = 'urn:coursewire:problem:';

export const HTTP_UNAUTHORIZED = 401;
export const HTTP_NOT_FOUND = 404;

/** A problem (RFC 9457) that the service returned. Its message is the problem's `detail`. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** The problem's code, such as `webhooks-read-only`; empty if the response was no problem. */
  readonly code: string;
  readonly title: string;
  readonly errors: readonly InputError[];
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | null;
  /** All members of the response, including those that only one call has. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(status: number, members: Record<string, unknown>, retryAfter: number | null) {
    super(
      typeof members.detail === 'string' ? members.detail : `The service responded with status ${status}.`,
    );
    this.status = status;
    this.code = typeof members.type === 'string' ? members.type.replace(PROBLEM_TYPE, '') : '';
    this.title = typeof members.title === 'string' ? members.title : '';
    this.errors = Array.isArray(members.errors) ? (members.errors as InputError[]) : [];
    this.retryAfter = retryAfter;
    this.members = members;
  }
}

/** There was no response: the network or the service is down. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';

  constructor(cause: unknown) {
    super('The service did not respond.', { cause });
  }
}

/** Whether an error is a problem with that code. */
export function isProblem(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.code === code;
}

/** Whether a request was invalid, such as one for an id that is no number. */
const isInvalid = hasStatus(400);

/** Whether nobody is signed in, or the credentials are wrong. */
export const isUnauthorized = hasStatus(HTTP_UNAUTHORIZED);

/** Whether the person may not do this. */
export const isForbidden = hasStatus(403);

/** Whether a record does not exist. */
export const isNotFound = hasStatus(HTTP_NOT_FOUND);

/** Whether no record can have that id, or none has it. */
export function isNoSuchRecord(error: unknown): boolean {
  return isNotFound(error) || isInvalid(error);
}

/** Whether a request does not fit the current state, such as the deletion of something that is in use. */
export const isConflict = hasStatus(409);

/** Whether someone else has changed the record since it was read. */
export const isOutdated = hasStatus(412);

/** Whether a body was too large. */
export const isTooLarge = hasStatus(413);

/** Whether there were too many requests. */
export const isRateLimited = hasStatus(429);

/** Whether the service cannot do this now. */
export const isUnavailable = hasStatus(503);

/** Whether the service responded, but could not do what was asked: it failed, or there were too many requests. */
export function isRefusal(error: unknown): error is ApiError {
  return isRateLimited(error) || (error instanceof ApiError && error.status >= 500);
}

/** Whether the other calls of a run would fail for the same reason: nobody responds, or the person may not do this. */
export function concernsAll(error: unknown): boolean {
  return error instanceof UnreachableError || isUnauthorized(error) || isForbidden(error);
}

/** The status is part of the type, so that an error with another one is still an ApiError. */
function hasStatus<S extends number>(status: S) {
  return (error: unknown): error is ApiError & { readonly status: S } =>
    error instanceof ApiError && error.status === status;
}
