import type { StoredAdministrator } from './administrator-store.ts';
import { isRole, type Role } from './roles.ts';

/** Someone who signs in to the admin UI. Moments are epoch milliseconds. */
export interface Administrator {
  id: number;
  /** Stands as `user` in the messages of events that the administrator causes. */
  email: string;
  /** Null until the administrator tells it. */
  name: string | null;
  role: Role;
  enabled: boolean;
  /** Whether no password was set yet: the invitation was not taken up. */
  invited: boolean;
  createdAt: number;
  lastSignInAt: number | null;
}

/** An administrator without what only signing in looks at. A role that this release does not know may least. */
export function toAdministrator(row: StoredAdministrator): Administrator {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: isRole(row.role) ? row.role : 'viewer',
    enabled: row.enabled === 1,
    invited: row.password_hash === null,
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
  };
}
