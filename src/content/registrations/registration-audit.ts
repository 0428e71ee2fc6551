import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import { type AuditFields, changedFields } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Transaction } from '../../database/database.ts';
import { formatOptionalDateTime } from '../../time/date-time.ts';
import type { Registration } from './registration.ts';

/**
 * Records in the audit log who created, changed or deleted a registration: the former state is null for a new one, the
 * new state for a deleted one.
 * @param at epoch milliseconds
 */
export async function recordRegistrationChange(
  tx: Transaction,
  {
    by,
    action,
    before,
    after,
  }: { by: Actor; action: AuditAction; before: Registration | null; after: Registration | null },
  at: number,
): Promise<void> {
  const { registrationId: id, learnerId: name } = (after ?? before) as Registration;
  const changes = changedFields(before && fieldsOf(before), after && fieldsOf(after));
  await recordAudit(tx, { by, action, id, name, changes }, at);
}

function fieldsOf(registration: Registration): AuditFields {
  return {
    account_id: registration.accountId,
    course_id: registration.courseId,
    equivalent_id: registration.equivalentId,
    version_id: registration.versionId,
    language: registration.language,
    learner_id: registration.learnerId,
    completion: registration.completion,
    success: registration.success,
    score: registration.score,
    duration: registration.duration,
    completion_dt: formatOptionalDateTime(registration.completedAt),
  };
}
