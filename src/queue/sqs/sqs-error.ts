/** Why Amazon SQS did not do what it was asked, as far as a person can act on it. */
export type SqsFailure =
  | 'missing queue'
  | 'credentials'
  | 'permission'
  | 'throttling'
  | 'unreachable'
  | 'refused'
  | 'other';

/** A request to Amazon SQS failed; `cause` is the library's error. */
export class SqsError extends Error {
  override name = 'SqsError';
  readonly failure: SqsFailure;

  constructor(failure: SqsFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** The queues cannot be used as they are: the start is refused with this message. */
export class SqsSetupError extends Error {
  override name = 'SqsSetupError';
}

/** What the names of errors say, whichever of AWS's services or credential sources they come from. */
const FAILURES: readonly [RegExp, SqsFailure][] = [
  [/NonExistentQueue|QueueDoesNotExist|ResourceNotFound/, 'missing queue'],
  [/Credentials|Token|AccessKey|Signature|RequestExpired|UnrecognizedClient/, 'credentials'],
  [/AccessDenied|AuthorizationError/, 'permission'],
  [/Throttl|TooManyRequests|OverLimit|SlowDown/, 'throttling'],
];
const TOO_MANY_REQUESTS = 429;
const BAD_REQUEST = 400;
const SERVER_ERROR = 500;

/** An error of the AWS library as one that says what it means. It names queues and regions, never keys. */
export function toSqsError(error: unknown, what: string): SqsError {
  const { name, message, code, $metadata } = (
    error instanceof Error ? error : { name: 'Error', message: String(error) }
  ) as { name: string; message: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const failure = failureOf(name, $metadata?.httpStatusCode, code);
  const detail = failure === 'unreachable' ? (code ?? name) : `${name}: ${message}`;
  return new SqsError(failure, `Amazon SQS could not ${what} (${detail})`, { cause: error });
}

function failureOf(name: string, status: number | undefined, code: string | undefined): SqsFailure {
  const named = FAILURES.find(([names]) => names.test(name));
  if (named !== undefined) return named[1];
  if (status === undefined) return code !== undefined || name === 'TimeoutError' ? 'unreachable' : 'other';
  if (status === TOO_MANY_REQUESTS) return 'throttling';
  if (status >= SERVER_ERROR) return 'unreachable';
  return status >= BAD_REQUEST ? 'refused' : 'other';
}
