/**
 * The codes of RFC 6749 §5.2 that can occur for a client-credentials request, and two of §4.1.2.1 for faults of the
 * service.
 */
export type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'temporarily_unavailable'
  | 'server_error';

const BAD_REQUEST = 400;

/** An error response of the token endpoint. Its message is the `error_description`: public, plain ASCII. */
export class TokenError extends Error {
  override name = 'TokenError';
  readonly code: TokenErrorCode;
  readonly status: number;
  /** Header fields of the response, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** For the log: the client of the request, if its id is certainly not a secret in the wrong field. */
  readonly clientId: string | null;

  constructor(
    code: TokenErrorCode,
    description: string,
    options: {
      status?: number;
      headers?: Record<string, string>;
      clientId?: string | null;
      cause?: unknown;
    } = {},
  ) {
    super(description, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? BAD_REQUEST;
    this.headers = options.headers ?? {};
    this.clientId = options.clientId ?? null;
  }
}
