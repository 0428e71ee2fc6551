import type { Caller } from '../../http/authorization.ts';
import { SCOPES, type Scope } from '../scopes.ts';

/** Roles of administrators, the most powerful first. */
export const ROLES = ['admin', 'integrator', 'viewer'] as const;

/** One of {@link ROLES}. */
export type Role = (typeof ROLES)[number];

/**
 * What a role may do through the automation API. Integrators manage webhooks but see no content. Viewers read content,
 * webhooks and events, and change nothing.
 */
const SCOPES_OF_ROLE: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  admin: new Set(SCOPES),
  integrator: new Set(['webhooks:read', 'webhooks:write']),
  viewer: new Set(['content:read', 'webhooks:read']),
};

const NO_SCOPES: ReadonlySet<Scope> = new Set();

/** Whether a text is the name of a role. */
export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

/** The scopes of the automation API that a role grants. An unknown role grants none. */
export function scopesOfRole(role: string): ReadonlySet<Scope> {
  return isRole(role) ? SCOPES_OF_ROLE[role] : NO_SCOPES;
}

/** Whether a caller is a person with the role admin. No API client is, whatever its scopes are. */
export function isAdmin(caller: Caller): boolean {
  return caller.kind === 'administrator' && includesRole(caller.role, 'admin');
}

/**
 * Whether the role `held` may call a route that requires the role `needed`. A route requires `viewer`, which allows
 * everyone who is signed in, or `admin`. All finer distinctions are made by scopes.
 */
export function includesRole(held: string, needed: string): boolean {
  if (!isRole(held) || !isRole(needed)) return false;
  return ROLES.indexOf(held) <= ROLES.indexOf(needed);
}
