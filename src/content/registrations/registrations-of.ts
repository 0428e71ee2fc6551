import type { Transaction } from '../../database/database.ts';
import { deleteSomeRegistrationsByAccount, hasRegistrations } from './registration-store.ts';

/** What deleting accounts and courses needs from registrations. */

/**
 * Maximum number of registrations per statement. All that learners did is deleted, too, so a statement for a large account
 * would exceed the time that a statement may take, and block the event loop on SQLite.
 */
const REGISTRATIONS_AT_A_TIME = 500;

/**
 * Deletes the registrations of an account without events. Call it in the transaction that deletes the account,
 * after its row is locked or deleted: concurrent registrations wait for that row.
 */
export async function deleteRegistrationsOfAccount(tx: Transaction, accountId: number): Promise<void> {
  let deleted: number;
  do {
    deleted = await deleteSomeRegistrationsByAccount(tx, accountId, REGISTRATIONS_AT_A_TIME);
  } while (deleted === REGISTRATIONS_AT_A_TIME);
}

/** Registrations are history: a course with registrations cannot be deleted. */
export async function registrationsOfCourse(tx: Transaction, courseId: number): Promise<string | null> {
  return (await hasRegistrations(tx, courseId)) ? 'registrations of learners' : null;
}
