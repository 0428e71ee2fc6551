import type { Transaction } from '../database/database.ts';
import { sent } from '../database/sent.ts';
import { plainAddress } from '../http/address-key.ts';
import { AUDIT_ACTIONS, type AuditAction } from './actions.ts';
import type { Actor } from './actor.ts';
import { insertAuditEntry } from './audit-store.ts';
import type { FieldChange } from './field-changes.ts';

/** A change to record. Its id and name are those of the object; the name is the one it has after the change. */
export interface AuditedChange {
  by: Actor;
  action: AuditAction;
  /** Null if the object is unknown: nobody has the address of a failed sign-in. */
  id: string | number | null;
  name: string | null;
  changes?: readonly FieldChange[];
  /** Further facts, such as the number of messages. */
  details?: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * Records a change in the audit log. Call it in the transaction of the change, so that neither is without the other.
 * @param at epoch milliseconds
 */
export async function recordAudit(tx: Transaction, change: AuditedChange, at: number): Promise<void> {
  const { by, action, id, name, changes = [], details = {} } = change;
  const entry = insertAuditEntry(tx, {
    occurred_at: at,
    actor_type: by.type,
    actor_id: by.id,
    actor_user: by.user,
    actor_name: by.name,
    address: by.address === null ? null : plainAddress(by.address),
    action,
    object_type: AUDIT_ACTIONS[action],
    object_id: id === null ? null : String(id),
    object_name: name,
    changes: JSON.stringify(changes),
    details: JSON.stringify(details),
  });
  await sent(tx, [entry]);
}
