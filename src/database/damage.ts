import { DatabaseUnavailableError } from './database.ts';

/** The class of PostgreSQL for damaged data and internal errors, which damaged data causes, too. */
const POSTGRES_DAMAGE = /^XX/;
/** SQLITE_CORRUPT. Extended result codes have more bits. */
const SQLITE_CORRUPT = 11;

/** Whether the engine failed because a part of its data is damaged. Statements that do not read this part succeed. */
export function isDamage(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  const { code, errcode } = cause as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return (errcode & 0xff) === SQLITE_CORRUPT;
  return typeof code === 'string' && POSTGRES_DAMAGE.test(code);
}
