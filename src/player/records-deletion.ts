import { MIB } from '../bytes.ts';
import type { Transaction } from '../database/database.ts';
import { firstWithin } from '../database/step-bytes.ts';
import {
  ACTIVITIES,
  DOCUMENTS,
  deleteTerms,
  endAttempts,
  hasMoreTerms,
  type OwnedRow,
  type OwnedRows,
  SESSIONS,
  STATEMENTS,
  STATES,
  UNITS,
  VALUES,
} from './deletion-store.ts';

/** Maximum number of statements, documents or activities per transaction, so that none blocks the event loop for long. */
const MAX_ROWS = 200;
/** Maximum number of units, sessions and shared values per transaction. They are smaller and have fewer indexes. */
const MAX_ATTEMPT_ROWS = 1_000;
/** Maximum number of index terms per transaction. A few statements can have tens of thousands. */
const MAX_TERMS = 2_000;
/** Maximum size of what a transaction deletes. Engines read or mark each page of it. */
const MAX_BYTES = 8 * MIB;

/** A kind of rows that belong to registrations. */
interface Kind {
  rows: OwnedRows;
  /** Maximum number of rows per transaction. */
  maxRows: number;
  /** Whether a course continues with them, so that the attempts of registrations that lose some end first. */
  endsAttempts?: boolean;
  /** Returns whether it deleted only some of what belongs to the rows, and none of the rows. */
  deleteDetails?: (tx: Transaction, rows: readonly OwnedRow[]) => Promise<boolean>;
}

const KINDS: readonly Kind[] = [
  { rows: STATEMENTS, maxRows: MAX_ROWS, deleteDetails: deletePartOfTerms },
  { rows: DOCUMENTS, maxRows: MAX_ROWS, endsAttempts: true },
  { rows: ACTIVITIES, maxRows: MAX_ROWS },
  { rows: UNITS, maxRows: MAX_ATTEMPT_ROWS, endsAttempts: true },
  { rows: STATES, maxRows: MAX_ATTEMPT_ROWS, endsAttempts: true },
  { rows: SESSIONS, maxRows: MAX_ATTEMPT_ROWS, endsAttempts: true },
  { rows: VALUES, maxRows: MAX_ATTEMPT_ROWS },
];

/**
 * Deletes some of the records of registrations, if they have more than the transaction that deletes the registrations
 * should delete with them. Call it in a transaction of its own that locks the registrations: courses of theirs that are
 * running could otherwise refer to what is deleted.
 * @param now ends the attempts that lose something. If the deletion fails later, they are never continued without it
 * @returns false if nothing was deleted because few records are left
 */
export async function deletePartOfRecords(
  tx: Transaction,
  registrationIds: readonly string[],
  now: number,
): Promise<boolean> {
  if (registrationIds.length === 0) return false;
  let left = MAX_BYTES;
  for (const kind of KINDS) {
    const size = await deletePart(kind, tx, registrationIds, { left, now });
    if (size === null) return true;
    left -= size;
  }
  return false;
}

/**
 * Deletes some rows of a kind if they are many, or larger than `left`. @returns the size of all rows; null if it deleted
 * some
 */
async function deletePart(
  { rows, maxRows, endsAttempts = false, deleteDetails }: Kind,
  tx: Transaction,
  registrationIds: readonly string[],
  { left, now }: { left: number; now: number },
): Promise<number | null> {
  const found = await rows.select(tx, registrationIds, maxRows + 1);
  // At least one, if there is one.
  const part = firstWithin(found.slice(0, maxRows), MAX_BYTES, ({ size }) => size);
  if (await deleteDetails?.(tx, part)) return null;
  const size = part.reduce((sum, row) => sum + row.size, 0);
  if (part.length === found.length && size <= left) return size;
  const losing = new Set(part.map((row) => row.registration_id));
  if (endsAttempts) await endAttempts(tx, [...losing], now);
  await rows.remove(tx, part);
  return null;
}

async function deletePartOfTerms(tx: Transaction, rows: readonly OwnedRow[]): Promise<boolean> {
  const statements = rows.map(({ id }) => id as number);
  if (!(await hasMoreTerms(tx, statements, MAX_TERMS))) return false;
  await deleteTerms(tx, statements, MAX_TERMS);
  return true;
}
