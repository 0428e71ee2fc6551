import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../database/schema.ts';

/** The owners of registrations: an account, a course or an equivalent. Null members are ignored. */
export interface OwnerFilter {
  accountId: number | null;
  courseId: number | null;
  equivalentId: number | null;
}

/**
 * The condition of a filter.
 * @param isByLearner the learner is a condition, too. The sign keeps SQLite, which has no statistics, from searching all
 *   registrations of the account, course or equivalent.
 */
export function ofOwners(
  { accountId, courseId, equivalentId }: OwnerFilter,
  { isByLearner }: { isByLearner: boolean },
): Expression<SqlBool> {
  const eb = expressionBuilder<Tables, 'registrations'>();
  const sign = sql.raw(isByLearner ? '+' : '');
  const owners = { account_id: accountId, course_id: courseId, equivalent_id: equivalentId };
  const conditions = Object.entries(owners)
    .filter(([, id]) => id !== null)
    .map(([column, id]) => sql<SqlBool>`${sign}${sql.ref(`registrations.${column}`)} = ${id}`);
  return eb.and(conditions);
}

/** Whether a filter names an account, a course or an equivalent. */
export function hasOwner({ accountId, courseId, equivalentId }: OwnerFilter): boolean {
  return accountId !== null || courseId !== null || equivalentId !== null;
}
