import type { InputError } from '../../../src/problems/problem.ts';

export type { InputError };

/** What the type of every problem of the service begins with. */
export const PROBLEM_TYPE = 'urn:coursewire:problem:';

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

/** Whether an error is a problem with that code or status. */
export function isProblem(error: unknown, codeOrStatus: string | number): error is ApiError {
  return error instanceof ApiError && (error.code === codeOrStatus || error.status === codeOrStatus);
}

/** Whether the other calls of a run would fail for the same reason: nobody responds, or the person may not do this. */
export function concernsAll(error: unknown): boolean {
  return error instanceof UnreachableError || isProblem(error, 401) || isProblem(error, 403);
}
