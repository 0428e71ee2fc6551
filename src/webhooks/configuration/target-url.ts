/**
 * The form of a target's URL, for the API and the admin UI. URL parsers silently correct their input: they trim it,
 * drop tabs, and accept backslashes and any number of slashes. So the stored text could name another address than the
 * one it leads to.
 */

/** Possible errors in the form of a target's URL, in the words of a response. */
export const TARGET_URL_FAULTS = {
  whiteSpace: 'target URL begins or ends with white space',
  controlCharacter: 'target URL contains a control character',
  invisibleCharacter: 'target URL contains an invisible character',
  backslash: 'target URL contains a backslash; in a path or query, write %5C',
  scheme: 'target URL is not http or https',
  slashes: 'target URL does not have exactly two slashes after its scheme',
  credentials: 'target URL contains credentials',
  invalid: 'target URL is not a valid absolute URL',
} as const;

/** A member of {@link TARGET_URL_FAULTS}. */
export type TargetUrlFault = keyof typeof TARGET_URL_FAULTS;

const CONTROL_CHARACTER = /\p{Cc}/u;
const INVISIBLE_CHARACTER = /[\p{Cf}\p{Zl}\p{Zp}]/u;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const AUTHORITY = /^https?:\/\/([^/?#]+)/i;

/** The first error in the form of a URL; null if there is none. Its destination is not checked. */
export function targetUrlFault(text: string): TargetUrlFault | null {
  if (CONTROL_CHARACTER.test(text)) return 'controlCharacter';
  if (text !== text.trim()) return 'whiteSpace';
  if (INVISIBLE_CHARACTER.test(text)) return 'invisibleCharacter';
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'invalid';
  if (scheme !== 'http' && scheme !== 'https') return URL.canParse(text) ? 'scheme' : 'invalid';
  if (text.includes('\\')) return 'backslash';
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined) return 'slashes';
  if (authority.includes('@')) return 'credentials';
  return URL.canParse(text) ? null : 'invalid';
}

/** Whether two URLs have the same scheme, host and port, so that a stored secret may be kept. */
export function haveSameOrigin(one: string, other: string): boolean {
  if (one === other) return true;
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}
