import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from './database.ts';

/**
 * SQL for rows that have the same values in the first columns of an index, as a condition and as an order that find them
 * through this index.
 *
 * PostgreSQL only knows how many rows each value has on average. If one webhook has nearly all rows, an index of
 * another column looks as good, and finding a row of another webhook through it passes over millions. All columns
 * compared as a row, and an order by all of them, leave only the index. SQLite uses it anyway, but could not use
 * its further columns if the first ones were a range.
 */
export interface IndexPart {
  /** The first columns of the index, each with its only value. PostgreSQL must not get these conditions a second time. */
  equal: Readonly<Record<string, unknown>>;
  /** The columns after these. The rows are ordered by them. */
  by: readonly string[];
  /** Limits of the first columns of `by`. */
  bounds: readonly IndexBound[];
}

/** A comparison with values for the first columns of an order. */
export type IndexBound = readonly [operator: '>' | '>=' | '<' | '<=', ...values: unknown[]];

/** The condition. */
export function inIndexPart(dialect: Dialect, { equal, by, bounds }: IndexPart): RawBuilder<SqlBool> {
  const [columns, values] = [Object.keys(equal), Object.values(equal)];
  if (dialect === 'sqlite')
    return all([
      ...columns.map((column, n) => compare([column], '=', [values[n]])),
      ...bounds.map(([operator, ...limit]) => compare(by.slice(0, limit.length), operator, limit)),
    ]);
  const sides = bounds.map(([operator]) => operator.charAt(0));
  const ends = ['>', '<'].filter((side) => columns.length > 0 && !sides.includes(side));
  return all([
    ...bounds.map(([operator, ...limit]) =>
      compare([...columns, ...by.slice(0, limit.length)], operator, [...values, ...limit]),
    ),
    ...ends.map((side) => compare(columns, `${side}=`, values)),
  ]);
}

/** The order, for `order by`. */
export function indexPartOrder(
  dialect: Dialect,
  { equal, by }: Pick<IndexPart, 'equal' | 'by'>,
  direction: 'asc' | 'desc' = 'asc',
): RawBuilder<unknown> {
  const columns = dialect === 'sqlite' ? by : [...Object.keys(equal), ...by];
  return sql.join(columns.map((column) => sql`${sql.ref(column)} ${sql.raw(direction)}`));
}

function compare(
  columns: readonly string[],
  operator: string,
  values: readonly unknown[],
): RawBuilder<unknown> {
  const left = columns.map((column) => sql.ref(column));
  if (left.length === 1) return sql`${left[0]} ${sql.raw(operator)} ${values[0]}`;
  return sql`(${sql.join(left)}) ${sql.raw(operator)} (${sql.join(values)})`;
}

function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`;
}
