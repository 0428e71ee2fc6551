import type { Generated } from 'kysely';

/** An entry of the audit log. */
export interface AuditEntryRow {
  id: Generated<number>;
  occurred_at: number;
  /** ADMINISTRATOR, API_CLIENT, COMMAND_LINE or UNKNOWN. */
  actor_type: string;
  /** The id of the administrator or client; null for the command line and for callers who are not signed in. */
  actor_id: string | null;
  /** The e-mail address at that time. */
  actor_user: string | null;
  /** The name at that time. */
  actor_name: string | null;
  /** The address that the server saw; null for the command line. */
  address: string | null;
  action: string;
  object_type: string;
  /** Null if the object is unknown. */
  object_id: string | null;
  /** The name at that time. */
  object_name: string | null;
  /** JSON: the changed members with their values, but no secrets. */
  changes: string;
  /** JSON: an object with further facts. */
  details: string;
}
