import { MIB } from '../../bytes.ts';
import type { Transaction } from '../../database/database.ts';
import { firstWithin } from '../../database/step-bytes.ts';
import {
  deleteActivities,
  deleteDocuments,
  deleteStatements,
  deleteTerms,
  hasMoreTerms,
  type SizedRow,
  selectSizedActivities,
  selectSizedDocuments,
  selectSizedStatements,
} from './deletion-store.ts';

/** Maximum number of statements, documents or activities per transaction, so that none blocks the event loop for long. */
const MAX_ROWS = 200;
/** Maximum number of index terms per transaction. A few statements can have tens of thousands. */
const MAX_TERMS = 2_000;
/** Maximum size of what a transaction deletes. Engines read or mark each page of it. */
const MAX_BYTES = 8 * MIB;

/**
 * Deletes some of the records of registrations, if they have more than the transaction that deletes the registrations
 * should delete with them. Call it in a transaction of its own that locks the registrations: courses of theirs that are
 * running could otherwise refer to what is deleted.
 * @returns false if nothing was deleted because few records are left
 */
export async function deletePartOfRecords(
  tx: Transaction,
  registrationIds: readonly string[],
): Promise<boolean> {
  if (registrationIds.length === 0) return false;
  return (
    (await deletePartOfStatements(tx, registrationIds)) ||
    (await deletePart(tx, registrationIds, selectSizedDocuments, deleteDocuments)) ||
    (await deletePart(tx, registrationIds, selectSizedActivities, deleteActivities))
  );
}

async function deletePartOfStatements(tx: Transaction, registrationIds: readonly string[]): Promise<boolean> {
  const found = await selectSizedStatements(tx, registrationIds, MAX_ROWS + 1);
  const part = partOf(found);
  if (await hasMoreTerms(tx, part, MAX_TERMS)) {
    await deleteTerms(tx, part, MAX_TERMS);
    return true;
  }
  if (part.length === found.length) return false;
  await deleteStatements(tx, part);
  return true;
}

async function deletePart<Key>(
  tx: Transaction,
  registrationIds: readonly string[],
  select: (tx: Transaction, registrationIds: readonly string[], limit: number) => Promise<SizedRow<Key>[]>,
  remove: (tx: Transaction, keys: readonly Key[]) => Promise<void>,
): Promise<boolean> {
  const found = await select(tx, registrationIds, MAX_ROWS + 1);
  const part = partOf(found);
  if (part.length === found.length) return false;
  await remove(tx, part);
  return true;
}

/** The keys of as many of the rows as a transaction deletes: at least one, if there is one. */
function partOf<Key>(rows: readonly SizedRow<Key>[]): Key[] {
  return firstWithin(rows.slice(0, MAX_ROWS), MAX_BYTES, ({ size }) => size).map(({ key }) => key);
}
