import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
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
  const page = await readPart(
    ordered.clearSelect().select(order.id.as('id')).$castTo<{ id: number }>(),
    order,
    part,
  );
  const ids = page.map(({ id }) => id);
  const rows = new Map(ids.length === 0 ? [] : (await rowsOf(ids)).map((row) => [row.id, row]));
  // Rows that were deleted between the statements are omitted.
  return { items: ids.flatMap((id) => rows.get(id) ?? []), total: await count(filtered) };
}

async function count<DB, TB extends keyof DB>(rows: SelectQueryBuilder<DB, TB, unknown>): Promise<number> {
  const { total } = await rows
    .clearSelect()
    .select(sql<number>`count(*)`.as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Like {@link readList}, for a list that may have millions of rows: it is counted up to {@link MAX_COUNTED}. */
export async function readLongList<DB, TB extends keyof DB, FilteredTB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
  filtered: SelectQueryBuilder<DB, FilteredTB, unknown>,
  order: ListOrder,
  part: ListPart<string>,
): Promise<LongListed<Row>> {
  return { items: await readPart(rows, order, part), ...(await countUpToBound(filtered)) };
}

/** How many rows there are, up to {@link MAX_COUNTED}. */
export async function countUpToBound<DB, TB extends keyof DB>(
  rows: SelectQueryBuilder<DB, TB, unknown>,
): Promise<{ total: number; totalIsLowerBound: boolean }> {
  if (await exceedsBound(rows)) return { total: MAX_COUNTED, totalIsLowerBound: true };
  return { total: await count(rows), totalIsLowerBound: false };
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
export async function readPart<DB, TB extends keyof DB, Row>(
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
