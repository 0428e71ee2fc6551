import { shortened } from '../observability/shortened.ts';
import { SECOND_MS } from '../time/units.ts';

/**
 * The standard's text for each status. As an import, `node:http` would load a second undici, the one inside Node, for
 * its exports: a tenth of the time of a start.
 */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Maximum length of a text from elsewhere: the status text of a target, or the message of an unknown error. */
const MAX_FOREIGN_TEXT_LENGTH = 200;

const LOOKUP_FAILED = 'host name lookup failed';
const UNPARSABLE_RESPONSE = 'response could not be parsed';
const INCOMPLETE = ' before the response was complete';
const HANDSHAKE_FAILED = 'TLS handshake failed';
const NO_COMMON_TLS_VERSION = `${HANDSHAKE_FAILED}, the target supports neither TLS 1.2 nor TLS 1.3`;
/** With TLS 1.2, targets report both in the same way. */
const HANDSHAKE_REFUSED = `${HANDSHAKE_FAILED}, there is no common cipher, or the target requires a client certificate`;
const UNKNOWN_NAME = `${HANDSHAKE_FAILED}, the target does not know the host name`;

/** The meaning of `error.code`, in words for administrators. */
const REASON_BY_CODE: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection reset'],
  ['ECONNABORTED', 'connection reset'],
  ['UND_ERR_SOCKET', `connection closed${INCOMPLETE}`],
  ['ETIMEDOUT', 'connection timed out'],
  ['EHOSTUNREACH', 'host unreachable'],
  ['EHOSTDOWN', 'host unreachable'],
  ['ENETUNREACH', 'network unreachable'],
  ['ENETDOWN', 'network unreachable'],
  ['EADDRNOTAVAIL', 'address not available'],
  ['EACCES', 'connection not permitted'],
  ['EPERM', 'connection not permitted'],
  ['EMFILE', 'too many open files on this machine'],
  ['ENFILE', 'too many open files on this machine'],
  ['ENOBUFS', 'not enough memory for a connection'],
  ['ENOMEM', 'not enough memory for a connection'],

  ['ENOTFOUND', 'host not found'],
  ['ENODATA', 'host not found'],
  ['ONLY_IPV6', 'the host has only IPv6 addresses, and this machine has none'],
  ['EAI_AGAIN', `${LOOKUP_FAILED}, no response for this name`],
  ['EAI_FAIL', LOOKUP_FAILED],
  ['ESERVFAIL', LOOKUP_FAILED],
  ['EREFUSED', LOOKUP_FAILED],
  ['EFORMERR', LOOKUP_FAILED],
  ['ENOTIMP', LOOKUP_FAILED],
  ['EBADRESP', LOOKUP_FAILED],
  ['NAME_SERVICE_SILENT', 'no name server responds'],
  ['NAME_SERVICE_FAILS', 'the name servers refuse or fail all lookups'],

  ['CERT_HAS_EXPIRED', 'certificate has expired'],
  ['CERT_NOT_YET_VALID', 'certificate is not valid yet'],
  ['CERT_REVOKED', 'certificate was revoked'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in the certificate chain'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'certificate is from an unknown authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate is from an unknown authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate is from an unknown authority'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate is for another host name'],
  ['HOSTNAME_MISMATCH', 'certificate is for another host name'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', `${HANDSHAKE_FAILED}, the target does not use TLS`],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', `${HANDSHAKE_FAILED}, the target does not use TLS`],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', NO_COMMON_TLS_VERSION],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', NO_COMMON_TLS_VERSION],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', HANDSHAKE_REFUSED],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', HANDSHAKE_REFUSED],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    `${HANDSHAKE_FAILED}, the target requires a client certificate`,
  ],
  ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', UNKNOWN_NAME],
  ['ERR_SSL_TLSV1_ALERT_UNRECOGNIZED_NAME', UNKNOWN_NAME],
  [
    'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
    `${HANDSHAKE_FAILED}, the target does not support HTTP/1.1`,
  ],

  ['RESPONSE_TOO_LONG', 'response is too long'],
  ['UND_ERR_HEADERS_OVERFLOW', 'response has too many or too long headers'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', UNPARSABLE_RESPONSE],
]);

/** The meaning of families of codes, by prefix. */
const REASON_BY_CODE_PREFIX: readonly (readonly [prefix: string, reason: string])[] = [
  ['HPE_', UNPARSABLE_RESPONSE],
  ['ERR_TLS_', HANDSHAKE_FAILED],
  ['EPROTO', HANDSHAKE_FAILED],
];

/** The texts of {@link failureReason} for known errors. docs/troubleshooting.md explains each. */
export const KNOWN_REASONS: ReadonlySet<string> = new Set([
  ...REASON_BY_CODE.values(),
  ...REASON_BY_CODE_PREFIX.map(([, reason]) => reason),
]);

/** undici's errors for well-formed responses at the wrong time. All have the code of a closed connection. */
const MISPLACED_RESPONSES: ReadonlySet<string> = new Set(['bad response', 'bad upgrade']);

/** The least informative codes, for connections to several addresses of a host that failed in different ways. */
const LEAST_INFORMATIVE_CODES: ReadonlySet<unknown> = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EADDRNOTAVAIL',
]);

/** Codes of connection failures that are the fault of this machine, not of the target. */
const OWN_FAILURES: ReadonlySet<unknown> = new Set([
  'NAME_SERVICE_SILENT',
  'NAME_SERVICE_FAILS',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOMEM',
]);

const TLS_CODE = /^ERR_SSL_(.+)$/;
/** The rest of a code that is an alert of the other side: OpenSSL's `TLSV1_ALERT_INTERNAL_ERROR` and the like. */
const TLS_ALERT = /^(?:SSL\/TLS|SSLV3|TLSV1|TLSV13)_(?:ALERT_)?(.+)$/;

/** Whether an error is one of OpenSSL: the handshake failed, or the encryption of a connection. */
export function isTlsError(error: unknown): boolean {
  return TLS_CODE.test(String(codeOf(error)));
}

/** The reason for a code of OpenSSL, in OpenSSL's own words; undefined for others. */
function tlsReason(code: string): string | undefined {
  const [, rest] = TLS_CODE.exec(code) ?? [];
  if (rest === undefined) return undefined;
  const [, alert] = TLS_ALERT.exec(rest) ?? [];
  const words = plainText((alert ?? rest).replaceAll('_', ' ').toLowerCase());
  return alert === undefined
    ? `${HANDSHAKE_FAILED}: ${words}`
    : `${HANDSHAKE_FAILED}, the target reports: ${words}`;
}

/** Whether this machine was unable to connect to any target. */
export function isOwnFailure(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOwnFailure);
  return OWN_FAILURES.has(codeOf(error));
}

/** Why a request failed without a complete response: a few plain words, without secrets or a stack trace. */
export function failureReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return failureReason(
      error.errors.find((one) => !LEAST_INFORMATIVE_CODES.has(codeOf(one))) ?? error.errors[0],
    );
  const code = codeOf(error);
  const { name, message } = error instanceof Error ? error : { name: '', message: '' };
  if (code === 'TARGET_REFUSED') return message;
  if (code === 'UND_ERR_SOCKET' && MISPLACED_RESPONSES.has(message)) return UNPARSABLE_RESPONSE;
  // undici gives codes only to some of its parser errors.
  if (name === 'HTTPParserError') return UNPARSABLE_RESPONSE;
  // Other errors are assertions, for example that a status is 100 or above.
  if (code === 'ERR_ASSERTION') return UNPARSABLE_RESPONSE;
  if (typeof code === 'string') {
    const reason =
      REASON_BY_CODE.get(code) ??
      REASON_BY_CODE_PREFIX.find(([prefix]) => code.startsWith(prefix))?.[1] ??
      tlsReason(code);
    if (reason !== undefined) return reason;
  }
  const known = plainText(message);
  if (known !== '') return known;
  return typeof code === 'string' ? plainText(code) : 'unknown error';
}

/** Why a request failed with a response: the status and its text, from the target or the standard. */
export function statusReason(status: number, statusText: string | null): string {
  const text = plainText(statusText ?? '') || (STATUS_CODES[status] ?? '');
  return text === '' ? String(status) : `${status} ${text}`;
}

/** Why a request failed that got no complete response within its deadline (milliseconds). */
export function timeoutReason(deadlineMs: number): string {
  return `timed out after ${deadlineMs / SECOND_MS} s`;
}

/** Why a request failed although the response began with the status of a success: its end did not arrive. */
export function incompleteReason(status: number, reason: string): string {
  return `${reason.replace(INCOMPLETE, '')}, before the end of the ${status} response`;
}

/** A text from elsewhere, as one short line of printable characters. */
export function plainText(text: string): string {
  const line = text
    .slice(0, MAX_FOREIGN_TEXT_LENGTH * 2)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return shortened(line, MAX_FOREIGN_TEXT_LENGTH);
}

/** The `code` of an error of Node or undici; undefined if it has none. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
