import { CENSORED } from '../observability/censor.ts';
import { shortened } from '../observability/shortened.ts';
import { MIN_CENSORED_QUERY_LENGTH, withoutQueries } from '../observability/url-censor.ts';
import type { BasicCredentials } from '../secrets/credentials-cipher.ts';
import type { AttemptHeader, AttemptHeaders } from '../webhooks/history/attempt-headers.ts';
import { withoutCredentials } from './basic-credentials.ts';

/** Bounds for the request and for the response of an attempt, in headers and characters. */
const MAX_HEADERS = 50;
const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 500;
const MAX_TOTAL_LENGTH = 4_000;
/** How much of a value is searched for credentials, so that a hostile value takes little time. */
const MAX_EXAMINED_LENGTH = 2_000;

/** Headers whose values are credentials, or prove who sent them. */
const SECRET_NAME =
  /authori[sz]ation|cookie|token|secret|passw|credential|session|signature|nonce|api-?_?key|(?:^|[-_])(?:auth|key|sig|jwt|csrf|xsrf|pin|otp)(?:[-_]|$)/i;
/** Credentials in any value: an authentication scheme with its credentials, a JSON Web Token, a well-known key. */
const SECRET_VALUE =
  /\b(?:Basic|Bearer|Digest|Negotiate|ApiKey|Token)\s+[\w+/.~-]{6,}={0,2}(?!=)|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?:sk|pk|whsec|ghp|xox[abp])[_-][\w-]{8,}/gi;
/** The user information of a URL often contains tokens. */
const USER_INFO = /:\/\/[^/@\s]+@/g;
/** Characters that would break a line, or that some databases do not accept. */
const CONTROL = /\p{Cc}+/gu;

/** Headers of responses as undici parses them: a name that occurred more than once has a list. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers that were sent and received. */
export interface SentAndReceived {
  /** Names and values alternate. */
  readonly requestHeaders: readonly string[];
  /** Null without a response. */
  readonly responseHeaders: ResponseHeaders | null;
  readonly credentials: BasicCredentials | null;
  readonly targetUrl: string;
}

/**
 * The headers of an attempt as the history keeps them: bounded, and without anything that looks like a credential. A
 * target may return what it was sent in any header.
 */
export function keptHeaders({
  requestHeaders,
  responseHeaders,
  credentials,
  targetUrl,
}: SentAndReceived): AttemptHeaders {
  const censor = censorOf(credentials, targetUrl);
  const request: [string, string][] = [];
  for (let at = 0; at + 1 < requestHeaders.length; at += 2)
    request.push([requestHeaders[at]!, requestHeaders[at + 1]!]);
  return {
    request: kept(request, censor),
    response: responseHeaders === null ? null : kept(received(responseHeaders), censor),
  };
}

function* received(headers: ResponseHeaders): Generator<[string, string]> {
  for (const [name, values] of Object.entries(headers)) {
    if (values === undefined) continue;
    if (typeof values === 'string') yield [name, values];
    else for (const value of values) yield [name, value];
  }
}

function kept(
  headers: Iterable<[string, string]>,
  censor: (name: string, value: string) => string,
): AttemptHeader[] {
  const found: AttemptHeader[] = [];
  let total = 0;
  for (const [name, value] of headers) {
    const header = {
      name: shortened(name.replace(CONTROL, ' '), MAX_NAME_LENGTH),
      value: shortened(censor(name, value).replace(CONTROL, ' '), MAX_VALUE_LENGTH),
    };
    total += header.name.length + header.value.length;
    if (found.length >= MAX_HEADERS || total > MAX_TOTAL_LENGTH) break;
    found.push(header);
  }
  return found;
}

function censorOf(credentials: BasicCredentials | null, targetUrl: string) {
  const query = targetUrl.split('?').slice(1).join('?');
  return (name: string, value: string): string => {
    if (SECRET_NAME.test(name)) return CENSORED;
    // The credentials are removed before the other rules apply, which could change parts of them.
    let text = credentials === null ? value : withoutCredentials(value, credentials);
    if (query.length >= MIN_CENSORED_QUERY_LENGTH) text = text.replaceAll(query, CENSORED);
    const withQueries = text
      .slice(0, MAX_EXAMINED_LENGTH)
      .replace(SECRET_VALUE, CENSORED)
      .replace(USER_INFO, `://${CENSORED}@`);
    const examined = withoutQueries(withQueries, CENSORED);
    // Otherwise, a credential that was cut in two could show at the end.
    const showsTheCut = text.length > MAX_EXAMINED_LENGTH && examined.length <= MAX_VALUE_LENGTH;
    return showsTheCut ? CENSORED : examined;
  };
}
