import { types } from 'pg';

/** The object ids of `bigint` and `numeric`, fixed in `pg_type.dat`. */
const INT8 = 20;
const NUMERIC = 1700;

/** An integer of the database is too large for an exact JavaScript number. */
export class UnsafeNumberError extends Error {
  override name = 'UnsafeNumberError';
}

/** Values are read as `pg` does, except `bigint` and `numeric` (counts and their sums), which become numbers. */
export const NUMBERS_AS_NUMBERS = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC
      ? toNumber
      : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};

function toNumber(text: string): number {
  const number = Number(text);
  const isWhole = !text.includes('.');
  if (isWhole && !Number.isSafeInteger(number)) {
    throw new UnsafeNumberError('a whole number of the database is beyond 2^53 and would not be exact');
  }
  return number;
}
