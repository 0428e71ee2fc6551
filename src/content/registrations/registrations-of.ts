import type { Transaction } from '../../database/database.ts';
import { deleteRegistrationsByAccount, hasRegistrations } from './registration-store.ts';

/** What deleting accounts and courses needs from registrations. */

/**
 * Deletes the registrations of an account without events. Call it in the transaction that deletes the account,
 * after its row is locked or deleted: concurrent registrations wait for that row.
 */
export async function deleteRegistrationsOfAccount(tx: Transaction, accountId: number): Promise<void> {
  await deleteRegistrationsByAccount(tx, accountId);
}

/** Registrations are history: a course with registrations cannot be deleted. */
export async function registrationsOfCourse(tx: Transaction, courseId: number): Promise<string | null> {
  return (await hasRegistrations(tx, courseId)) ? 'registrations of learners' : null;
}
