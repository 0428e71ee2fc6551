import type { Reader, Transaction } from '../../database/database.ts';
import type { AccountResource } from '../../events/event.ts';
import { notFound } from '../../problems/problem.ts';
import type { Completion, Registration, Success } from './registration.ts';
import { lockAccountOf } from './registration-parties.ts';
import { lockRegistration, readRegistration, type StoredRegistration } from './registration-store.ts';

/**
 * Locks a registration and its account until the transaction ends.
 * @throws {ProblemError} `not-found`
 */
export async function lockWithAccount(
  tx: Transaction,
  registrationId: string,
): Promise<{ account: AccountResource; registration: Registration }> {
  // The account of a registration never changes, so it can be locked first. Both statements take one round trip.
  const [account, row] = await Promise.all([
    lockAccountOf(tx, registrationId),
    lockRegistration(tx, registrationId),
  ]);
  if (account === undefined || row === undefined) throw notFound('registration', registrationId);
  return { account, registration: toRegistration(row) };
}

/** @throws {ProblemError} `not-found` */
export async function requireRegistration(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
): Promise<Registration> {
  const row = await readRegistration(reader, registrationId);
  if (row === undefined) throw notFound('registration', registrationId);
  return toRegistration(row);
}

/** The registration of a row. */
export function toRegistration(row: StoredRegistration): Registration {
  return {
    registrationId: row.registration_id,
    accountId: row.account_id,
    courseId: row.course_id,
    versionId: row.version_id,
    learnerId: row.learner_id,
    completion: row.completion as Completion,
    success: row.success as Success,
    score: row.score,
    duration: row.duration,
    completedAt: row.completed_at,
    equivalentId: row.equivalent_id,
    language: row.language,
    launchedAt: row.launched_at,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
