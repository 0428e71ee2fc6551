import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Reader } from '../database/database.ts';
import { MAX_COUNTED } from './list-limits.ts';
import type { Listed, ListPart, LongListed } from './list-query.ts';

/** The order of a list. Equal rows are ordered by id. */
export interface ListOrder {
  by: RawBuilder<unknown>;
  id: RawBuilder<number | string>;
}

/**
 * Reads the requested part of a list, and counts the whole. `rows` has filters and columns, but no order. `filtered`
 * lacks the joins that only add columns, because counting would look them up row by row.
 */
export async function readList<DB, TB extends keyof DB, FilteredTB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
  filtered: SelectQueryBuilder<DB, FilteredTB, unknown>,
  order: ListOrder,
  part: ListPart<string>,
): Promise<Listed<Row>> {
  return { items: await readPart(rows, order, part), total: await count(filtered) };
}

/**
 * Like {@link readList}, for rows that need other tables: only ids are sorted and skipped, and only the rows of the page
 * are read. `ordered` is `filtered`, joined to the tables that its order needs.
 */
export async function readListOfIds<
  DB,
  TB extends keyof DB,
  FilteredTB extends keyof DB,
  Row extends { id: number },
>(
  rowsOf: (ids: number[]) => Promise<Row[]>,
  ordered: SelectQueryBuilder<DB, TB, unknown>,
  filtered: SelectQueryBuilder<DB, FilteredTB, unknown>,
  order: ListOrder,
  part: ListPart<string>,
): Promise<Listed<Row>> {
  const ids = await readIds(ordered, order, part);
  return { items: await rowsWith(ids, rowsOf), total: await count(filtered) };
}

async function readIds<DB, TB extends keyof DB>(
  ordered: SelectQueryBuilder<DB, TB, unknown>,
  order: ListOrder,
  part: ListPart<string>,
): Promise<number[]> {
  const page = await readPart(
    ordered.clearSelect().select(order.id.as('id')).$castTo<{ id: number }>(),
    order,
    part,
  );
  return page.map(({ id }) => id);
}

/** The rows in the order of their ids. Rows that were deleted between the statements are omitted. */
async function rowsWith<Row extends { id: number }>(
  ids: number[],
  rowsOf: (ids: number[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows = new Map(ids.length === 0 ? [] : (await rowsOf(ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

async function count<DB, TB extends keyof DB>(rows: SelectQueryBuilder<DB, TB, unknown>): Promise<number> {
  const { total } = await rows
    .clearSelect()
    .select(sql<number>`count(*)`.as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** How many rows a list has, up to {@link MAX_COUNTED}. */
export type BoundedCount = Omit<LongListed<unknown>, 'items'>;

/**
 * Like {@link readListOfIds}, for a list that may have millions of rows: it is counted up to {@link MAX_COUNTED}.
 * @param counted its count, if it is known
 */
export async function readLongListOfIds<DB, TB extends keyof DB, Row extends { id: number }>(
  { reader, rowsOf }: { reader: Pick<Reader, 'query'>; rowsOf: (ids: number[]) => Promise<Row[]> },
  filtered: SelectQueryBuilder<DB, TB, unknown>,
  order: ListOrder,
  part: ListPart<string>,
  counted?: BoundedCount,
): Promise<LongListed<Row>> {
  const ids = await readIds(filtered, order, part);
  return {
    items: await rowsWith(ids, rowsOf),
    ...(counted ?? countedByPage(ids.length, part) ?? (await countUpToBound(reader, filtered))),
  };
}

/**
 * The count of a list, which follows from its last page; null for any other page. Counting would read the whole table
 * again for a filter that few rows match.
 */
function countedByPage(rows: number, { limit, offset }: ListPart<string>): BoundedCount | null {
  const isLast = rows < limit && (rows > 0 || offset === 0);
  return isLast ? bounded(offset + rows) : null;
}

/** A number of rows that was counted at least up to one more than {@link MAX_COUNTED}. */
export function bounded(count: number): BoundedCount {
  return { total: Math.min(count, MAX_COUNTED), totalIsLowerBound: count > MAX_COUNTED };
}

/** How many rows there are, up to {@link MAX_COUNTED}. */
export async function countUpToBound<DB, TB extends keyof DB>(
  { query }: Pick<Reader, 'query'>,
  filtered: SelectQueryBuilder<DB, TB, unknown>,
): Promise<BoundedCount> {
  const some = filtered
    .clearSelect()
    .select(sql<number>`1`.as('one'))
    .limit(MAX_COUNTED + 1);
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${some} as counted`.execute(
    query,
  );
  return bounded(Number(rows[0]?.total ?? 0));
}

/** How many rows refer to each of these owners by a column such as `bundle_contents.bundle_id`. Owners without any are missing. */
export async function countByOwner(
  { query }: Pick<Reader, 'query'>,
  column: 'account_contents.account_id' | 'bundle_contents.bundle_id' | 'webhook_focuses.webhook_id',
  ownerIds: readonly number[],
): Promise<Map<number, number>> {
  if (ownerIds.length === 0) return new Map();
  const [table] = column.split('.');
  const { rows } = await sql<{ owner: number; count: number }>`
    select ${sql.ref(column)} as owner, count(*) as count from ${sql.table(table!)}
    where ${sql.ref(column)} in (${sql.join(ownerIds)}) group by ${sql.ref(column)}`.execute(query);
  return new Map(rows.map(({ owner, count }) => [owner, Number(count)]));
}

/** Whether there are more rows than {@link MAX_COUNTED}. */
export async function exceedsBound<DB, TB extends keyof DB>(
  rows: SelectQueryBuilder<DB, TB, unknown>,
): Promise<boolean> {
  const further = await rows
    .clearSelect()
    .select(sql<number>`1`.as('one'))
    .offset(MAX_COUNTED)
    .limit(1)
    .execute();
  return further.length > 0;
}

/** The rows of the requested part. */
async function readPart<DB, TB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
  { by, id }: ListOrder,
  { direction, limit, offset }: ListPart<string>,
): Promise<Row[]> {
  return (await rows
    .orderBy(by, direction)
    .orderBy(id, direction)
    .limit(limit)
    .offset(offset)
    .execute()) as Row[];
}
