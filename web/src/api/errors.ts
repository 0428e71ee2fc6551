/** An offending member of what was sent: where it is (RFC 6901) and what is wrong with it. */
export interface InputError {
  pointer: string;
  detail: string;
}

/** A problem (RFC 9457) that the service answered. Its message is the problem's `detail`. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** The problem's code, such as `webhooks-read-only`; empty when the answer was no problem. */
  readonly code: string;
  readonly title: string;
  readonly errors: readonly InputError[];
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | null;
  /** Every member of the answer, for those that only one call has. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(status: number, members: Record<string, unknown>, retryAfter: number | null) {
    super(typeof members.detail === 'string' ? members.detail : `The service answered ${status}.`);
    this.status = status;
    this.code = typeof members.type === 'string' ? members.type.replace('urn:coursewire:problem:', '') : '';
    this.title = typeof members.title === 'string' ? members.title : '';
    this.errors = Array.isArray(members.errors) ? (members.errors as InputError[]) : [];
    this.retryAfter = retryAfter;
    this.members = members;
  }
}

/** No answer came: the network is down, or the service is. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';

  constructor(cause: unknown) {
    super('The service did not answer.', { cause });
  }
}

/** Whether an error is a problem with that code or status. */
export function isProblem(error: unknown, codeOrStatus: string | number): error is ApiError {
  return error instanceof ApiError && (error.code === codeOrStatus || error.status === codeOrStatus);
}
