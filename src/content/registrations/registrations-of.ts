import type { Transaction } from '../../database/database.ts';
import { deleteRegistrationsByAccount, hasRegistrations } from './registration-store.ts';

/** What accounts and courses ask of registrations when they are deleted. */

/**
 * Deletes an account's registrations, which causes no event. To be called in the transaction that deletes the
 * account, after its row is locked or gone: a registration that is being made waits for that row.
 */
export async function deleteRegistrationsOfAccount(tx: Transaction, accountId: number): Promise<void> {
  await deleteRegistrationsByAccount(tx, accountId);
}

/** Registrations are history: a course that has some is not deleted. */
export async function registrationsOfCourse(tx: Transaction, courseId: number): Promise<string | null> {
  return (await hasRegistrations(tx, courseId)) ? 'registrations of learners' : null;
}
