import { isScope } from './scopes.ts';
import { MAX_TOKEN_CHARACTERS, type Principal } from './tokens/access-tokens.ts';

const REALM = 'coursewire';

/** `Bearer` and a `b64token` (RFC 6750 §2.1); the scheme's case does not matter (RFC 9110 §11.1). */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const BEARER_SCHEME = /^bearer(?: |$)/i;

/** The content of an Authorization header: no bearer token, a malformed one, or a token to verify. */
export type ParsedBearer = { kind: 'absent' } | { kind: 'malformed' } | { kind: 'token'; token: string };

/** A rejected request: the data of its problem. */
export interface BearerRefusal {
  status: 401 | 403;
  /** The value of `WWW-Authenticate`. */
  wwwAuthenticate: string;
  /** A sentence for people. */
  detail: string;
}

/** The caller, or why the request is rejected. */
export type BearerDecision = { caller: Principal } | { refusal: BearerRefusal };

/** Verifies access tokens, for {@link decideBearer}. */
export interface TokenVerifier {
  /**
   * @param options.mayHaveExpired whether to accept a token that has expired, but was not revoked. @defaultValue false
   */
  verify(token: string, options?: { mayHaveExpired: boolean }): Promise<Principal | null>;
}

/**
 * Reads an Authorization header. Another scheme counts as none.
 * @see RFC 6750 §2.1
 */
export function parseBearer(authorization: string | undefined): ParsedBearer {
  if (authorization === undefined || !BEARER_SCHEME.test(authorization)) return { kind: 'absent' };
  if (authorization.length > MAX_TOKEN_CHARACTERS + 'Bearer '.length) return { kind: 'malformed' };
  const token = BEARER.exec(authorization)?.[1];
  return token === undefined ? { kind: 'malformed' } : { kind: 'token', token };
}

/**
 * Decides whether a request that requires one of `required` is allowed. No client has a scope that does not exist.
 * @see RFC 6750 §3
 * @throws {DatabaseUnavailableError} if the token's client cannot be read.
 */
export async function decideBearer(
  authorization: string | undefined,
  required: readonly [string, ...string[]],
  tokens: TokenVerifier,
): Promise<BearerDecision> {
  const parsed = parseBearer(authorization);
  if (parsed.kind === 'absent') {
    // No error code: the client did not know that it has to authenticate (RFC 6750 §3.1).
    return refuse(401, [], 'This request needs an access token.');
  }
  const caller = parsed.kind === 'token' ? await tokens.verify(parsed.token) : null;
  if (caller === null) {
    return refuse(401, ['error="invalid_token"'], 'The access token is malformed, expired or ended.');
  }
  if (!required.some((scope) => isScope(scope) && caller.scopes.has(scope))) {
    return refuse(
      403,
      ['error="insufficient_scope"', `scope="${required[0]}"`],
      `This request needs an access token with the scope ${required.join(' or ')}.`,
    );
  }
  return { caller };
}

/** The value of `WWW-Authenticate` that asks for an access token. */
export function challenge(parameters: readonly string[] = []): string {
  return `Bearer ${[`realm="${REALM}"`, ...parameters].join(', ')}`;
}

function refuse(status: 401 | 403, parameters: readonly string[], detail: string): BearerDecision {
  return { refusal: { status, wwwAuthenticate: challenge(parameters), detail } };
}
