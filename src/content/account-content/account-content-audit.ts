import type { Actor } from '../../audit/actor.ts';
import { changedFields } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Transaction } from '../../database/database.ts';
import type { NamedAsset } from '../assets/assets.ts';

/** What an account got or lost in a call. */
export interface AuditedContentChange {
  by: Actor;
  action: 'CONTENT_ADDED' | 'CONTENT_REMOVED';
  account: { id: number; name: string };
  /**
   * The assets that the account did not have before an addition, or had before a removal. The limits of a request bound
   * their number.
   */
  assets: readonly NamedAsset[];
}

/**
 * Records in the audit log what an account got or lost: one entry a call and account, and none if nothing changed.
 * @param at epoch milliseconds
 */
export async function recordContentChange(
  tx: Transaction,
  { by, action, account: { id, name }, assets }: AuditedContentChange,
  at: number,
): Promise<void> {
  if (assets.length === 0) return;
  const fields = { contents: assets.map((asset) => ({ type: asset.type, id: asset.id, name: asset.name })) };
  const changes = action === 'CONTENT_ADDED' ? changedFields(null, fields) : changedFields(fields, null);
  await recordAudit(tx, { by, action, id, name, changes }, at);
}
