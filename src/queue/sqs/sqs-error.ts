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

const MISSING = new Set(['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue', 'ResourceNotFound']);
const CREDENTIALS = new Set([
  'CredentialsProviderError',
  'TokenProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
  'InvalidAccessKeyId',
  'InvalidClientTokenId',
  'UnrecognizedClientException',
  'IncompleteSignature',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'MissingAuthenticationToken',
  'MissingAuthenticationTokenException',
]);
const PERMISSION = new Set([
  'AccessDenied',
  'AccessDeniedException',
  'KmsAccessDenied',
  'AuthorizationError',
]);
const THROTTLING = new Set([
  'RequestThrottled',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'KmsThrottled',
  'OverLimit',
  'SlowDown',
]);
const HTTP_TOO_MANY = 429;
const HTTP_SERVER_ERROR = 500;
const HTTP_CLIENT_ERROR = 400;

/** Says of an error of the AWS library what it means. Queue names and regions are told, keys never are. */
export function toSqsError(error: unknown, what: string): SqsError {
  if (error instanceof SqsError) return error;
  const { name, message, status, code } = factsOf(error);
  const failure = failureOf(name, status, code);
  const detail = failure === 'unreachable' ? `${code ?? name}` : `${name}${message ? `: ${message}` : ''}`;
  return new SqsError(failure, `Amazon SQS could not ${what} (${detail})`, { cause: error });
}

/** The name, message, HTTP status and system code of an error of the AWS library. */
function factsOf(error: unknown): { name: string; message: string; status?: number; code?: string } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown };
  const status = $metadata?.httpStatusCode;
  return {
    name: error.name,
    message: error.message,
    ...(status === undefined ? {} : { status }),
    ...(typeof code === 'string' ? { code } : {}),
  };
}

function failureOf(name: string, status: number | undefined, code: string | undefined): SqsFailure {
  if (MISSING.has(name)) return 'missing queue';
  if (CREDENTIALS.has(name)) return 'credentials';
  if (PERMISSION.has(name)) return 'permission';
  if (THROTTLING.has(name) || status === HTTP_TOO_MANY) return 'throttling';
  if (status === undefined) return code !== undefined || name === 'TimeoutError' ? 'unreachable' : 'other';
  if (status >= HTTP_SERVER_ERROR) return 'unreachable';
  return status >= HTTP_CLIENT_ERROR ? 'refused' : 'other';
}
