/** The catalogue of all problems (RFC 9457): code, status and title. */
export const PROBLEMS = {
  'invalid-request': { status: 400, title: 'The request is invalid' },
  'malformed-json': { status: 400, title: 'The body is not valid JSON' },
  'invalid-package': { status: 400, title: 'Invalid course package' },
  unauthorized: { status: 401, title: 'Authentication required' },
  forbidden: { status: 403, title: 'Permission denied' },
  'webhooks-read-only': { status: 403, title: 'Webhooks are read-only: the webhooks service is disabled' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Conflicts with the current state' },
  'limit-reached': { status: 409, title: 'A limit of this installation is reached' },
  'launch-over': { status: 410, title: 'The launch has ended' },
  'precondition-failed': { status: 412, title: 'The resource has changed' },
  'content-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The media type is not supported' },
  'range-not-satisfiable': { status: 416, title: 'Range not satisfiable' },
  'idempotency-key-reused': { status: 422, title: 'The idempotency key was used for a different request' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'internal-error': { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** An invalid member: its JSON Pointer (RFC 6901) and what is wrong with it. */
export interface InputError {
  pointer: string;
  detail: string;
}

/** A failure that is reported to the caller. Its message is public. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly code: ProblemCode;
  readonly errors: readonly InputError[];
  /** Header fields of the response, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Extension members (RFC 9457 section 3.2). */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    detail: string,
    options: {
      errors?: readonly InputError[];
      headers?: Record<string, string>;
      members?: Record<string, unknown>;
      cause?: unknown;
    } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }
}

/** Maximum number of errors in a response to a hostile request, which must not become a hostile response. */
const MAX_ERRORS_REPORTED = 100;
/** Who looks for errors in hostile input may stop at this number, which is more than are reported. */
export const ENOUGH_ERRORS = MAX_ERRORS_REPORTED + 1;

/**
 * Invalid input, with every invalid member named. If there are too many errors, the first ones are listed, and `detail`
 * says how many were found.
 */
export function invalidInput(errors: readonly InputError[]): ProblemError {
  if (errors.length > MAX_ERRORS_REPORTED) {
    const detail = `There are at least ${errors.length} errors; the first ${MAX_ERRORS_REPORTED} are listed`;
    return new ProblemError('invalid-request', detail, { errors: errors.slice(0, MAX_ERRORS_REPORTED) });
  }
  const names = [...new Set(errors.map(({ pointer }) => pointer || 'the body'))];
  const count = names.length === 1 ? 'One member is' : `${names.length} members are`;
  return new ProblemError('invalid-request', `${count} invalid: ${names.join(', ')}`, { errors });
}

/** What was found, and what was found `further`, without a second error for a member. */
export function withFurther(found: readonly InputError[], further: readonly InputError[]): InputError[] {
  const reported = new Set(found.map(({ pointer }) => pointer));
  return [...found, ...further.filter(({ pointer }) => !reported.has(pointer))];
}

/** An unknown id. `what` is the type of resource, such as `webhook` or `account`. */
export function notFound(what: string, id: string | number): ProblemError {
  return new ProblemError('not-found', `There is no ${what} ${JSON.stringify(id)}`);
}

/** The error of a member that has the id of something that does not exist. `what` is as for {@link notFound}. */
export function noSuch(pointer: string, what: string, id: number): InputError {
  return { pointer, detail: `there is no ${what} ${id}` };
}

/**
 * Longer than any member's name. Otherwise, each error of a hostile request would need as much time and memory as its
 * names.
 */
const MAX_NAME_LENGTH = 300;

/** Appends an escaped member name, of which the rest is cut off if it is too long, to a pointer (RFC 6901 section 3). */
export function pointerTo(parent: string, member: string | number): string {
  const name = String(member).slice(0, MAX_NAME_LENGTH);
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
