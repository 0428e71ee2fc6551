import type { Transaction } from '../../database/database.ts';
import { deleteRegistrationsBetween, hasRegistrations, lockRegistrationsFrom } from './registration-store.ts';

/** What deleting accounts, courses and equivalents needs from registrations. */

/**
 * Deletes some of what learners did in registrations, if it is too much for the transaction that deletes these.
 * @returns false if nothing was deleted because little is left
 */
export type PartOfRecords = (tx: Transaction, registrationIds: readonly string[]) => Promise<boolean>;

/**
 * Maximum number of registrations per transaction, because the learners' records are deleted with them. A larger number
 * would exceed the statement timeout, block the event loop on SQLite, and delay learners' saves.
 */
const REGISTRATIONS_AT_A_TIME = 500;

/**
 * Deletes the oldest registrations of an account, from a number on, without events, or some of their records. Call it
 * in a transaction of its own that locks the account's content: learners' saves continue, except those of the
 * registrations that are deleted.
 * @returns the number to continue from, or null if nothing was deleted because few are left
 */
export async function deletePartOfRegistrations(
  deletePartOfRecords: PartOfRecords,
  tx: Transaction,
  accountId: number,
  from: number,
): Promise<number | null> {
  const found = await lockRegistrationsFrom(tx, accountId, { from, limit: REGISTRATIONS_AT_A_TIME + 1 });
  const part = found.slice(0, REGISTRATIONS_AT_A_TIME);
  const ids = part.map(({ registration_id: id }) => id);
  if (await deletePartOfRecords(tx, ids)) return from;
  const to = found[part.length]?.number ?? null;
  if (to !== null) await deleteRegistrationsBetween(tx, accountId, { from, to });
  return to;
}

/** Registrations are history: a course with registrations cannot be deleted. */
export async function registrationsOfCourse(tx: Transaction, courseId: number): Promise<string | null> {
  return (await hasRegistrations(tx, 'course_id', courseId)) ? 'registrations of learners' : null;
}

/**
 * An equivalent with registrations cannot be deleted either. Its learners could no longer launch, and a registration
 * cannot be moved to another equivalent.
 */
export async function registrationsOfEquivalent(
  tx: Transaction,
  equivalentId: number,
): Promise<string | null> {
  return (await hasRegistrations(tx, 'equivalent_id', equivalentId)) ? 'registrations of learners' : null;
}
