import { CREDENTIALS_FAILURE } from '../../aws-credentials.ts';

/**
 * The kinds of failures: what a person can do about each, and its names in the services and credential sources of AWS.
 */
const FAILURES = {
  'missing queue': {
    advice: 'the queue is gone; "coursewire queues create" creates it again',
    names: /NonExistentQueue|QueueDoesNotExist|ResourceNotFound/,
  },
  'late credentials': {
    advice: 'the source of the AWS credentials does not respond',
    names: /^CredentialsLateError$/,
  },
  credentials: {
    advice: 'the AWS credentials are missing, wrong or expired',
    names: CREDENTIALS_FAILURE,
  },
  permission: {
    advice: 'the AWS credentials do not allow it; docs/operating.md shows the least policy',
    names: /AccessDenied|AuthorizationError/,
  },
  throttling: {
    advice: 'too many requests at a time',
    names: /Throttl|TooManyRequests|OverLimit|SlowDown/,
  },
  aborted: { advice: 'the service stops', names: /^AbortError$/ },
  unreachable: { advice: 'it does not respond', names: null },
  refused: { advice: 'it refused the request', names: null },
  other: { advice: 'it failed', names: null },
} as const;

/** What to do if no source names a region. */
export const NO_REGION = 'no region is set; set sqs_region, or AWS_REGION, or a region in the AWS profile';

/** The library has neither a code nor a name for this error. */
const WITHOUT_REGION = 'Region is missing';

/** Why a request to Amazon SQS failed. */
export type SqsFailure = keyof typeof FAILURES;

/** A request to Amazon SQS failed; `cause` is the library's error. */
export class SqsError extends Error {
  override name = 'SqsError';
  readonly failure: SqsFailure;
  /** The problem and its remedy, in a few words. */
  readonly advice: string;

  constructor(failure: SqsFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
    this.advice = FAILURES[failure].advice;
  }
}

/** The queues are unusable. The service does not start, and shows this message. */
export class SqsSetupError extends Error {
  override name = 'SqsSetupError';
}

/**
 * Converts an error of the AWS library to one that explains the problem. It may contain names of queues and regions,
 * but no keys.
 */
export function toSqsError(error: unknown, what: string): SqsError {
  const { name, message, code, $metadata } = (
    error instanceof Error ? error : { name: 'Error', message: String(error) }
  ) as { name: string; message: string; code?: string; $metadata?: { httpStatusCode?: number } };
  const failure = failureOf(name, $metadata?.httpStatusCode, code);
  const reason = message === WITHOUT_REGION ? NO_REGION : `${name}: ${message}`;
  const detail = failure === 'unreachable' ? (code ?? name) : reason;
  return new SqsError(failure, `Amazon SQS could not ${what} (${detail})`, { cause: error });
}

function failureOf(name: string, status: number | undefined, code: string | undefined): SqsFailure {
  const kinds = Object.keys(FAILURES) as SqsFailure[];
  const named = kinds.find((kind) => FAILURES[kind].names?.test(name));
  if (named !== undefined) return named;
  if (status === undefined) return code !== undefined || name === 'TimeoutError' ? 'unreachable' : 'other';
  if (status === 429) return 'throttling';
  if (status >= 500) return 'unreachable';
  return status >= 400 ? 'refused' : 'other';
}
