import { decodeFormText, decodeUtf8, type FormParameters, parseForm } from './form.ts';
import { TokenError } from './token-error.ts';

const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';
const FORM_CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii']);
/**
 * Charsets that some HTTP libraries declare by default. ASCII means the same in them; other characters would be
 * misread.
 */
const ASCII_SUPERSETS: ReadonlySet<string> = new Set(['iso-8859-1', 'latin1', 'windows-1252']);
const CHARSET_PARAMETER = /;\s*charset\s*=\s*("[^"]*"|[^\s;"]*)/gi;
const NOT_ASCII = /\P{ASCII}/u;
const GRANT_TYPE = 'client_credentials';
/** The parameters that are read. Others are ignored (RFC 6749 §3.2). */
const PARAMETERS = ['grant_type', 'client_id', 'client_secret', 'scope'] as const;

type Parameter = (typeof PARAMETERS)[number];

const AUTHORIZATION_SCHEME = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)(?: |$)/;
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/** The parts of an HTTP request that a token request is read from. */
export interface TokenRequestParts {
  contentType: string | undefined;
  contentEncoding: string | undefined;
  /** Every Authorization header field, in order. */
  authorization: readonly string[];
  /** The parsed query string. */
  query: Readonly<Record<string, unknown>>;
  body: Uint8Array;
}

/** A well-formed request; whether the credentials are right is another matter. */
export interface TokenRequest {
  clientId: string;
  clientSecret: string;
  /** As requested, or null if omitted. */
  scope: string | null;
}

/**
 * Reads a client-credentials request.
 * @see RFC 6749 §2.3.1, §3.2, §4.4.2, §5.2
 * @throws {TokenError} `invalid_request`, `unsupported_grant_type` or `invalid_client`, before any secret is verified.
 */
export function readTokenRequest(parts: TokenRequestParts): TokenRequest {
  assertNothingInQuery(parts.query);
  assertFormMediaType(parts.contentType);
  assertNotEncoded(parts.contentEncoding);
  const form = parseForm(parts.body);
  if (form === null) throw new TokenError('invalid_request', 'The body is not well-formed form data.');
  assertCharset(parts.contentType, form);
  const value = parameterReader(form);
  assertGrantType(value('grant_type'));
  const credentials = readCredentials(parts.authorization, value('client_id'), value('client_secret'));
  return { ...credentials, scope: value('scope') ?? null };
}

/** URLs end up in logs and histories, so credentials in them are not accepted (RFC 6749 §2.3.1). */
function assertNothingInQuery(query: Readonly<Record<string, unknown>>): void {
  const inQuery = PARAMETERS.find((name) => Object.hasOwn(query, name));
  if (inQuery !== undefined) {
    throw new TokenError('invalid_request', `${inQuery} belongs in the body, not in the query string.`);
  }
}

function assertFormMediaType(contentType: string | undefined): void {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== FORM_MEDIA_TYPE) {
    throw new TokenError('invalid_request', `The Content-Type must be ${FORM_MEDIA_TYPE}.`);
  }
}

/** Compressed bodies are not accepted (RFC 9110 section 8.4). */
function assertNotEncoded(contentEncoding = 'identity'): void {
  if (contentEncoding.trim().toLowerCase() !== 'identity') {
    throw new TokenError('invalid_request', 'The body must not have a Content-Encoding.');
  }
}

/** Forms are UTF-8 (RFC 6749 Appendix B): a declared charset must not give the text another meaning. */
function assertCharset(contentType = '', form: FormParameters): void {
  for (const [, value = ''] of contentType.matchAll(CHARSET_PARAMETER)) {
    const charset = value.replaceAll('"', '').toLowerCase();
    if (FORM_CHARSETS.has(charset)) continue;
    const isAscii = ![...form].flat(2).some((text) => NOT_ASCII.test(text));
    if (ASCII_SUPERSETS.has(charset) && isAscii) continue;
    throw new TokenError('invalid_request', 'The form must be encoded in UTF-8.');
  }
}

/** Rejects repeated parameters, and treats one without a value as omitted (RFC 6749 §3.2). */
function parameterReader(form: FormParameters): (name: Parameter) => string | undefined {
  const repeated = PARAMETERS.find((name) => (form.get(name)?.length ?? 0) > 1);
  if (repeated !== undefined) throw new TokenError('invalid_request', `${repeated} is given more than once.`);
  return (name) => form.get(name)?.[0] || undefined;
}

function assertGrantType(grantType: string | undefined): void {
  if (grantType === undefined) throw new TokenError('invalid_request', 'grant_type is missing.');
  if (grantType !== GRANT_TYPE) {
    throw new TokenError('unsupported_grant_type', `The grant_type must be ${GRANT_TYPE}.`);
  }
}

type Credentials = Pick<TokenRequest, 'clientId' | 'clientSecret'>;

function readCredentials(
  authorization: readonly string[],
  clientId: string | undefined,
  clientSecret: string | undefined,
): Credentials {
  const inForm = clientId !== undefined || clientSecret !== undefined;
  const [header, ...more] = authorization;
  if (more.length > 0) {
    throw new TokenError('invalid_request', 'The Authorization header is given more than once.');
  }
  if (header !== undefined && inForm) {
    throw new TokenError(
      'invalid_request',
      'The client authenticates twice: use either the Authorization header or client_id and client_secret.',
    );
  }
  if (header !== undefined) return readBasic(header);
  if (!inForm) {
    throw new TokenError(
      'invalid_client',
      'Client authentication is missing: send HTTP Basic credentials, or client_id and client_secret.',
    );
  }
  if (clientId === undefined || clientSecret === undefined) {
    const missing = clientId === undefined ? 'client_id' : 'client_secret';
    throw new TokenError('invalid_request', `${missing} is missing.`);
  }
  return { clientId, clientSecret };
}

/** Basic credentials whose two halves are form-encoded (RFC 7617 §2, RFC 6749 §2.3.1). */
function readBasic(header: string): Credentials {
  const scheme = AUTHORIZATION_SCHEME.exec(header)?.[1];
  if (scheme !== undefined && scheme.toLowerCase() !== 'basic') {
    throw new TokenError('invalid_client', 'The Authorization header must be of the Basic scheme.');
  }
  const pair = decodeBase64(BASIC.exec(header)?.[1] ?? '');
  const colon = pair?.indexOf(':') ?? -1;
  if (pair === null || colon === -1) throw malformedBasic();
  const clientId = decodeFormText(pair.slice(0, colon));
  const clientSecret = decodeFormText(pair.slice(colon + 1));
  if (clientId === null || clientSecret === null) throw malformedBasic();
  return { clientId, clientSecret };
}

function malformedBasic(): TokenError {
  return new TokenError(
    'invalid_request',
    'The Basic credentials are malformed: expected base64 of id and secret, form-encoded, with a colon between.',
  );
}

/** Node decodes what it can and ignores the rest, so the result is encoded again and compared. */
function decodeBase64(text: string): string | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? decodeUtf8(bytes) : null;
}
