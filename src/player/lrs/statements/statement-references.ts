import type { Transaction } from '../../../database/database.ts';
import { ProblemError } from '../../../problems/problem.ts';
import { type StoredStatement, VOIDED } from '../xapi-types.ts';
import {
  copyTerms,
  markVoided,
  type StatementHead,
  selectReferring,
  selectStatementHeads,
} from './statement-store.ts';

/**
 * Statements whose object is another statement. They are found by the index terms of that one, too, and may void it. It may
 * be stored later than those that refer to it.
 */

/** Maximum number of earlier statements that are updated because they refer to a new one, directly or indirectly. */
const MAX_REFERRING = 200;
const MAX_REFERENCE_DEPTH = 20;

/** The number of terms that a request may still copy. */
export interface CopyBudget {
  remaining: number;
}

/** Copies terms until the budget is spent. After that, statements are found only by their own terms. */
async function copyWithin(
  budget: CopyBudget,
  tx: Transaction,
  from: number,
  to: { id: number; storedAt: number },
): Promise<void> {
  if (budget.remaining > 0) budget.remaining -= await copyTerms(tx, from, to);
}

/** What a statement refers to. */
export interface Reference {
  /** The id of the other statement; null if the object is none. */
  targetId: string | null;
  isVoiding: boolean;
  /** The other statement; null if it is not stored, or belongs to another launch. */
  target: StatementHead | null;
}

/**
 * Reads what a statement refers to. A statement of a launch reaches only those of the same launch.
 * @throws {ProblemError} `invalid-request` if it voids a statement that voids
 */
export async function readReference(
  tx: Transaction,
  { object, verb }: StoredStatement,
  registrationId: string | null,
): Promise<Reference> {
  const targetId = object.objectType === 'StatementRef' ? (object.id as string).toLowerCase() : null;
  const isVoiding = verb.id === VOIDED;
  const found = targetId === null ? undefined : (await selectStatementHeads(tx, [targetId])).get(targetId);
  const reaches = registrationId === null || found?.registration_id === registrationId;
  const target = found !== undefined && reaches ? found : null;
  if (isVoiding && target?.is_voiding === 1) {
    throw new ProblemError('invalid-request', 'A statement that voids another one cannot be voided');
  }
  return { targetId, isVoiding, target };
}

/** A statement that was just stored. */
interface NewStatement {
  id: number;
  storedAt: number;
  statement: StoredStatement;
  registrationId: string | null;
}

/** Updates a new statement, the one that it refers to, and earlier ones that refer to it. */
export async function applyReferences(
  tx: Transaction,
  { target, isVoiding }: Reference,
  stored: NewStatement,
  copies: CopyBudget,
): Promise<void> {
  if (target !== null) {
    if (isVoiding) await markVoided(tx, target.id);
    await copyWithin(copies, tx, target.id, stored);
  }
  await updateReferring(tx, stored, copies);
}

/**
 * Updates earlier statements that refer to this one: they take over its index terms. If one of them voids it, marks
 * it voided.
 */
async function updateReferring(
  tx: Transaction,
  { id, statement, registrationId }: NewStatement,
  copies: CopyBudget,
): Promise<void> {
  let remaining = MAX_REFERRING;
  let sources: { id: number; statementId: string; registrationId: string | null }[] = [
    { id, statementId: statement.id, registrationId },
  ];
  for (let depth = 0; depth < MAX_REFERENCE_DEPTH && sources.length > 0; depth++) {
    const next: typeof sources = [];
    for (const source of sources) {
      if (remaining <= 0) return;
      const referring = await selectReferring(tx, source.statementId, remaining);
      remaining -= referring.length;
      for (const row of referring) {
        const reaches = row.registration_id === null || row.registration_id === source.registrationId;
        if (!reaches || row.id === source.id) continue;
        if (depth === 0 && row.is_voiding === 1 && statement.verb.id !== VOIDED) await markVoided(tx, id);
        await copyWithin(copies, tx, source.id, { id: row.id, storedAt: row.stored_at });
        next.push({ id: row.id, statementId: row.statement_id, registrationId: row.registration_id });
      }
    }
    sources = next;
  }
}
