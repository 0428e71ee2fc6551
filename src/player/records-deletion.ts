import { MIB } from '../bytes.ts';
import type { Transaction } from '../database/database.ts';
import { firstWithin, type SizedRow } from '../database/step-bytes.ts';
import {
  deleteSessions,
  deleteStates,
  deleteUnits,
  deleteValues,
  endAttempts,
  selectSizedSessions,
  selectSizedStates,
  selectSizedUnits,
  selectSizedValues,
} from './attempts/deletion-store.ts';
import {
  deleteActivities,
  deleteDocuments,
  deleteStatements,
  deleteTerms,
  hasMoreTerms,
  selectSizedActivities,
  selectSizedDocuments,
  selectSizedStatements,
} from './lrs/deletion-store.ts';

/** Maximum number of statements, documents or activities per transaction, so that none blocks the event loop for long. */
const MAX_ROWS = 200;
/** Maximum number of units, sessions and shared values per transaction. They are smaller and have fewer indexes. */
const MAX_ATTEMPT_ROWS = 1_000;
/** Maximum number of index terms per transaction. A few statements can have tens of thousands. */
const MAX_TERMS = 2_000;
/** Maximum size of what a transaction deletes. Engines read or mark each page of it. */
const MAX_BYTES = 8 * MIB;

/** A kind of rows that belong to registrations. */
interface Kind<Key> {
  /** Maximum number of rows per transaction. */
  maxRows: number;
  select: (tx: Transaction, registrationIds: readonly string[], limit: number) => Promise<SizedRow<Key>[]>;
  /** Returns whether it deleted only some of what belongs to the rows, and none of the rows. */
  deleteDetails?: (tx: Transaction, keys: readonly Key[]) => Promise<boolean>;
  remove: (tx: Transaction, keys: readonly Key[], now: number) => Promise<void>;
}

/**
 * Deletes some rows of a kind if they are many, or larger than `left`. @returns the size of all rows; null if it deleted
 * some
 */
type DeletePart = (
  tx: Transaction,
  registrationIds: readonly string[],
  options: { left: number; now: number },
) => Promise<number | null>;

const KINDS: readonly DeletePart[] = [
  partOf({
    maxRows: MAX_ROWS,
    select: selectSizedStatements,
    deleteDetails: deletePartOfTerms,
    remove: deleteStatements,
  }),
  partOf({ maxRows: MAX_ROWS, select: selectSizedDocuments, remove: afterEnd(deleteDocuments) }),
  partOf({ maxRows: MAX_ROWS, select: selectSizedActivities, remove: deleteActivities }),
  partOf({ maxRows: MAX_ATTEMPT_ROWS, select: selectSizedUnits, remove: afterEnd(deleteUnits) }),
  partOf({ maxRows: MAX_ATTEMPT_ROWS, select: selectSizedStates, remove: afterEnd(deleteStates) }),
  partOf({ maxRows: MAX_ATTEMPT_ROWS, select: selectSizedSessions, remove: afterEnd(deleteSessions) }),
  partOf({ maxRows: MAX_ATTEMPT_ROWS, select: selectSizedValues, remove: deleteValues }),
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
  for (const deletePart of KINDS) {
    const size = await deletePart(tx, registrationIds, { left, now });
    if (size === null) return true;
    left -= size;
  }
  return false;
}

function partOf<Key>({ maxRows, select, deleteDetails, remove }: Kind<Key>): DeletePart {
  return async (tx, registrationIds, { left, now }) => {
    const found = await select(tx, registrationIds, maxRows + 1);
    // At least one, if there is one.
    const part = firstWithin(found.slice(0, maxRows), MAX_BYTES, ({ size }) => size);
    const keys = part.map(({ key }) => key);
    if (await deleteDetails?.(tx, keys)) return null;
    const size = part.reduce((sum, row) => sum + row.size, 0);
    if (part.length === found.length && size <= left) return size;
    await remove(tx, keys, now);
    return null;
  };
}

async function deletePartOfTerms(tx: Transaction, statements: readonly number[]): Promise<boolean> {
  if (!(await hasMoreTerms(tx, statements, MAX_TERMS))) return false;
  await deleteTerms(tx, statements, MAX_TERMS);
  return true;
}

/** First ends the attempts of the registrations that lose what a course continues with. */
function afterEnd<Key extends { registration_id: string }>(
  remove: (tx: Transaction, keys: readonly Key[]) => Promise<void>,
): Kind<Key>['remove'] {
  return async (tx, keys, now) => {
    const losing = new Set(keys.map((key) => key.registration_id));
    await endAttempts(tx, [...losing], now);
    await remove(tx, keys);
  };
}
