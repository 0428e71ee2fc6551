import { SCOPES, type Scope } from '../scopes.ts';

/** What an administrator may be, the greater first. */
export const ROLES = ['admin', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

/** Viewers read content: no secrets, no integrations. */
const SCOPES_OF_ROLE: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  admin: new Set(SCOPES),
  viewer: new Set(['content:read']),
};

const NO_SCOPES: ReadonlySet<Scope> = new Set();

/** Whether a text is the name of a role. */
export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

/** The scopes of the automation API that a role comes with; a role that does not exist comes with none. */
export function scopesOfRole(role: string): ReadonlySet<Scope> {
  return isRole(role) ? SCOPES_OF_ROLE[role] : NO_SCOPES;
}

/** Whether someone of role `held` may do what `needed` may. */
export function includesRole(held: string, needed: string): boolean {
  if (!isRole(held) || !isRole(needed)) return false;
  return ROLES.indexOf(held) <= ROLES.indexOf(needed);
}
