/** Replaces a credential. */
export const CENSORED = '[censored]';

const MAX_DEPTH = 32;
const MAX_VALUES = 100_000;
const MAX_NESTED_ERRORS = 5;

/** Member names whose values are credentials, in lower case and without `-` and `_`. */
const CREDENTIAL_MEMBERS = new Set([
  'accesstoken',
  'authorization',
  'clientsecret',
  'cookie',
  'password',
  'proxyauthorization',
  'refreshtoken',
  'secret',
  'setcookie',
  'webhooksauthsecret',
]);

/** Matches each of them. Checked first, because every member of every line is checked. */
const MAYBE_CREDENTIAL = /auth|cookie|password|secret|token/i;

const AUTHORIZATION_IN_TEXT = /\b(Basic|Bearer)\s+([\w.~+/=-]{4,})/gi;
const FORM_MEMBER_IN_TEXT = /\b(client_secret|access_token|refresh_token|password|secret)=[^\s&"'<>]+/gi;
const JSON_MEMBER_IN_TEXT =
  /"(authorization|client_secret|access_token|refresh_token|password|secret)"\s*:\s*"(?:[^"\\]|\\.)*"?/gi;

/** How errors are written: with their stack or without it. */
export interface CensorOptions {
  readonly stack: boolean;
}

/**
 * A copy of `value` that can be written as JSON and contains no credential: members with a credential's name are
 * replaced, and so are credentials in texts. Errors become `{ type, message, code?, cause?, stack? }`, and other
 * objects become their class names. Depth and number of values are limited.
 */
export function censor(value: unknown, options: CensorOptions): unknown {
  let left = MAX_VALUES;

  const copy = (original: unknown, depth: number): unknown => {
    if (typeof original === 'string') return censorText(original);
    if (typeof original === 'bigint') return String(original);
    if (typeof original === 'function' || typeof original === 'symbol') return `[${typeof original}]`;
    if (typeof original !== 'object' || original === null) return original;
    left -= 1;
    if (depth > MAX_DEPTH || left < 0) return '[omitted]';
    if (original instanceof Error) return describeError(original, options);
    if (original instanceof Date) return Number.isNaN(original.getTime()) ? null : original.toISOString();
    if (original instanceof URL) return censorText(original.href);
    if (Array.isArray(original)) {
      left -= original.length;
      return left < 0 ? '[omitted]' : original.map((item) => copy(item, depth + 1));
    }
    const prototype: unknown = Object.getPrototypeOf(original);
    if (prototype !== Object.prototype && prototype !== null)
      return `[${original.constructor?.name ?? 'object'}]`;

    const members: Record<string, unknown> = {};
    for (const name of Object.keys(original)) {
      left -= 1;
      const member = (original as Record<string, unknown>)[name];
      const shown = isCredential(name, member) ? CENSORED : copy(member, depth + 1);
      if (name === '__proto__') Object.defineProperty(members, name, { value: shown, enumerable: true });
      else members[name] = shown;
    }
    return members;
  };

  return copy(value, 0);
}

/** Removes credentials that can be recognized by their form from a text. */
export function censorText(text: string): string {
  if (!/basic|bearer|secret|token|password|authorization/i.test(text)) return text;
  return text
    .replace(JSON_MEMBER_IN_TEXT, `"$1":"${CENSORED}"`)
    .replace(FORM_MEMBER_IN_TEXT, `$1=${CENSORED}`)
    .replace(AUTHORIZATION_IN_TEXT, (whole, scheme: string, credential: string) =>
      looksLikeCredential(scheme, credential) ? `${scheme} ${CENSORED}` : whole,
    );
}

/** Course names such as "Basic Training" must stay readable, so the word after the scheme is checked. */
function looksLikeCredential(scheme: string, credential: string): boolean {
  if (scheme.toLowerCase() === 'bearer') return credential.length >= 16 || /\d/.test(credential);
  return Buffer.from(credential, 'base64').includes(':');
}

function isCredential(name: string, value: unknown): boolean {
  return (
    MAYBE_CREDENTIAL.test(name) &&
    value !== null &&
    value !== undefined &&
    typeof value !== 'boolean' &&
    CREDENTIAL_MEMBERS.has(name.toLowerCase().replaceAll(/[-_]/g, ''))
  );
}

function describeError(error: Error, options: CensorOptions, nested = 0): Record<string, unknown> {
  const described: Record<string, unknown> = { type: error.name, message: censorText(error.message) };
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')) {
    described.code = error.code;
  }
  if (error.cause instanceof Error && nested < MAX_NESTED_ERRORS) {
    described.cause = describeError(error.cause, options, nested + 1);
  }
  // A refused connection to a name with several addresses is an AggregateError without its own message.
  if (error instanceof AggregateError && nested < MAX_NESTED_ERRORS) {
    described.errors = error.errors
      .slice(0, MAX_NESTED_ERRORS)
      .map((one: unknown) =>
        one instanceof Error ? describeError(one, options, MAX_NESTED_ERRORS) : typeof one,
      );
  }
  if (options.stack && typeof error.stack === 'string') described.stack = censorText(error.stack);
  return described;
}
