import { types } from 'pg';

/** Object ids of `bigint` and `numeric`, fixed in `pg_type.dat`. */
const INT8 = 20;
const NUMERIC = 1700;

/** A whole number of the database is beyond what a JavaScript number holds exactly. */
export class UnsafeNumberError extends Error {
  override name = 'UnsafeNumberError';
}

/** How values are read: as `pg` does, but `bigint` and `numeric` (counts and sums of it) as numbers. */
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
