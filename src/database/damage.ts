import { messageOf } from '../problems/error-message.ts';
import { DatabaseUnavailableError } from './database.ts';
import { resultCodeOf } from './sqlite/result-code.ts';

/**
 * Codes of PostgreSQL for data that cannot be read: damaged data and internal errors, which damaged data causes, too, a
 * sector that the disk cannot read, and a missing file.
 */
const POSTGRES_DAMAGE = /^(?:XX|58030$|58P01$)/;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ: the disk cannot read a sector, or the file is too short. */
const SQLITE_UNREADABLE: readonly number[] = [266, 522];

/** Whether the engine failed because a part of its data is damaged. Statements that do not read this part succeed. */
export function isDamage(error: unknown): boolean {
  const cause = causeOf(error);
  if (!(cause instanceof Error)) return false;
  const { code, errcode } = cause as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number')
    return resultCodeOf(cause) === SQLITE_CORRUPT || SQLITE_UNREADABLE.includes(errcode);
  return typeof code === 'string' && POSTGRES_DAMAGE.test(code);
}

/** Whether the file of the embedded database is damaged, even so much that the engine does not take it for a database. */
export function isDamagedFile(error: unknown): boolean {
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(resultCodeOf(causeOf(error)));
}

function causeOf(error: unknown): unknown {
  return error instanceof DatabaseUnavailableError ? error.cause : error;
}

/** Why a text cannot be read that is on damaged pages, as the end of a sentence. */
export function reasonOfDamage(error: unknown): string {
  return `the database cannot read its body: ${messageOf(error)}`;
}

/**
 * Reads items together. If the engine finds damage, it reads each half, and so on. Each damaged item is thus found with a
 * few statements, however many others there are. In a transaction on PostgreSQL, a failed statement would end the
 * transaction, so `read` must read outside of it.
 * @param items those to read, in the order in which they are read
 * @param damaged what to return for an item that cannot be read
 */
export async function readAroundDamage<Item, Result>(
  items: readonly Item[],
  read: (some: readonly Item[]) => Promise<Result[]>,
  damaged: (item: Item, error: unknown) => Promise<Result[]> | Result[],
): Promise<Result[]> {
  try {
    return await read(items);
  } catch (error) {
    const [first] = items;
    if (!isDamage(error) || first === undefined) throw error;
    if (items.length === 1) return await damaged(first, error);
  }
  const half = Math.ceil(items.length / 2);
  const parts = [items.slice(0, half), items.slice(half)];
  const results: Result[] = [];
  for (const part of parts) results.push(...(await readAroundDamage(part, read, damaged)));
  return results;
}
