/**
 * The scopes of API clients and tokens, in the order in which they are always written. Access tokens refer to a scope
 * by its position in this list: add at the end, never reorder or remove.
 */
export const SCOPES = [
  'content:read',
  'content:write',
  'webhooks:read',
  'webhooks:write',
  'registrations:write',
  'statements:read',
  'statements:write',
  'audit:read',
] as const;

/** One of {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];

/** What each scope permits, in the API description and the admin UI. */
export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  'content:read':
    'Read accounts, folders, courses, equivalents, bundles, registrations, and everything in them.',
  'content:write':
    'Change accounts, folders, courses, equivalents and bundles; import, publish and preview courses; add content to ' +
    'accounts and remove it.',
  'webhooks:read':
    'Read webhooks, their statistics, history and lines, all events, and alerts, but never secrets.',
  'webhooks:write':
    'Create, change, test and delete webhooks and alerts; create and delete signing secrets; retry, skip, purge, ' +
    'redeliver and replay messages; remove dead letters.',
  'registrations:write':
    'Register learners and create launch links; set, waive and reset their results; delete registrations.',
  'statements:read': 'Read learning records through the Experience API (xAPI).',
  'statements:write': 'Store learning records through the Experience API (xAPI).',
  'audit:read': 'Read the audit log: who changed what, from which address.',
};

const KNOWN: ReadonlySet<string> = new Set(SCOPES);

/** scope-token of RFC 6749 §3.3: printable ASCII without space, `"` and `\`. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Whether a text is the name of a scope; names are case-sensitive. */
export function isScope(text: string): text is Scope {
  return KNOWN.has(text);
}

/**
 * The tokens of a `scope` value: `scope-token *( SP scope-token )`. Null if the value does not have that form.
 * @see RFC 6749 §3.3
 */
export function splitScope(value: string): string[] | null {
  const tokens = value.split(' ');
  return tokens.every((token) => SCOPE_TOKEN.test(token)) ? tokens : null;
}

/** The scopes of a stored value. A scope that this release does not know grants nothing. */
export function readStoredScopes(stored: string): ReadonlySet<Scope> {
  return new Set(stored.split(' ').filter(isScope));
}

/** A `scope` value: each scope once, in the order of {@link SCOPES}; empty for none. */
export function formatScope(scopes: Iterable<Scope>): string {
  const held = new Set(scopes);
  return SCOPES.filter((scope) => held.has(scope)).join(' ');
}
