import { DatabaseUnavailableError } from './database.ts';

/**
 * Codes of PostgreSQL for data that cannot be read: damaged data and internal errors, which damaged data causes, too, a
 * sector that the disk cannot read, and a missing file.
 */
const POSTGRES_DAMAGE = /^(?:XX|58030$|58P01$)/;
/** SQLITE_CORRUPT. Extended result codes have more bits. */
const SQLITE_CORRUPT = 11;
/** SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ: the disk cannot read a sector, or the file is too short. */
const SQLITE_UNREADABLE: readonly number[] = [266, 522];

/** Whether the engine failed because a part of its data is damaged. Statements that do not read this part succeed. */
export function isDamage(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  const { code, errcode } = cause as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number')
    return (errcode & 0xff) === SQLITE_CORRUPT || SQLITE_UNREADABLE.includes(errcode);
  return typeof code === 'string' && POSTGRES_DAMAGE.test(code);
}
