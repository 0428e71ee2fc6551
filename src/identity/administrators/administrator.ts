import type { StoredAdministrator } from './administrator-store.ts';
import { isRole, type Role } from './roles.ts';

/** Someone who signs in to the admin UI. Times are in epoch milliseconds. */
export interface Administrator {
  id: number;
  /** Sent as `user` in messages about what the administrator does. */
  email: string;
  /** Null until the administrator enters it. */
  name: string | null;
  role: Role;
  enabled: boolean;
  /** Whether the invitation has not been accepted: no password is set. */
  invited: boolean;
  createdAt: number;
  lastSignInAt: number | null;
}

/** An administrator without credentials. An unknown role gets the fewest permissions. */
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
