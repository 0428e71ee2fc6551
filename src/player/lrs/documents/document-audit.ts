import type { Actor } from '../../../audit/actor.ts';
import { recordAudit } from '../../../audit/record-audit.ts';
import type { Transaction } from '../../../database/database.ts';
import { type DocumentOwner, readLearnersOf } from './document-store.ts';

/** A change of documents that exist. */
export interface DocumentChange {
  kind: 'changed' | 'deleted';
  /** The document that the request names; null if it names all states of an activity. */
  documentId: string | null;
  /** Whose documents these are, one item for each document. */
  owners: readonly DocumentOwner[];
}

/**
 * Records in the audit log who changed or deleted documents that courses stored: their states with the registration, and
 * profiles with the learner. Documents that only API clients stored are not recorded, because programs may store many.
 * @param at epoch milliseconds
 */
export async function recordDocumentChange(
  tx: Transaction,
  { by, activityId, kind, documentId, owners }: DocumentChange & { by: Actor; activityId: string | null },
  at: number,
): Promise<void> {
  for (const { learner_id: id, learner_account_id: account } of owners) {
    if (id === null) continue;
    const action = kind === 'changed' ? 'PROFILE_CHANGED' : 'PROFILE_DELETED';
    const details = { account_id: account, document_id: documentId };
    await recordAudit(tx, { by, action, id, name: null, details }, at);
  }
  const documents = new Map<string, number>();
  for (const { registration_id: id } of owners)
    if (id !== null) documents.set(id, (documents.get(id) ?? 0) + 1);
  if (documents.size === 0) return;
  const learners = await readLearnersOf(tx, [...documents.keys()]);
  for (const [id, count] of documents) {
    const action = kind === 'changed' ? 'STATE_CHANGED' : 'STATES_DELETED';
    const which = documentId === null ? { documents: count } : { document_id: documentId };
    const details = { activity_id: activityId, ...which };
    await recordAudit(tx, { by, action, id, name: learners.get(id) ?? null, details }, at);
  }
}
