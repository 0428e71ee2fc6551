import type { Transaction } from '../../database/database.ts';
import type { AccountResource } from '../../events/event.ts';

/**
 * What registrations know of the account and the course that they are of. The account is always locked before
 * the course and the registration, so that no two transactions wait for each other.
 */

/**
 * The account as messages show it, kept from being changed or deleted until the transaction ends; undefined
 * when there is none. On SQLite every transaction keeps it; on PostgreSQL it takes a lock on the row.
 */
export async function holdAccount(tx: Transaction, id: number): Promise<AccountResource | undefined> {
  const row = await tx.query
    .selectFrom('accounts')
    .select(['accounts.id', 'accounts.name', 'accounts.enabled'])
    .where('accounts.id', '=', id)
    .$if(tx.dialect === 'postgres', (query) => query.forShare())
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, enabled: row.enabled === 1 };
}

/**
 * The published version of a course, which is kept from being deleted until the transaction ends; undefined
 * when there is no such course.
 */
export async function holdPublishedVersion(tx: Transaction, courseId: number): Promise<number | undefined> {
  const row = await tx.query
    .selectFrom('courses')
    .select('courses.published_version_id')
    .where('courses.id', '=', courseId)
    .$if(tx.dialect === 'postgres', (query) => query.forKeyShare())
    .executeTakeFirst();
  return row?.published_version_id;
}
