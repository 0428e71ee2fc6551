import type { Key } from 'react';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import type { TableOrder } from './table-columns.ts';

/** Rows per request: the maximum of the service. */
export const PART = 200;

/** A part of a list to read. Without an order, it is in that of the table. */
export type PartOfList = { limit: number; offset: number } & Partial<TableOrder>;

/** Some rows of a list. `isLonger`: the list has more rows than can be listed. */
export interface RowsOfList<T> {
  rows: readonly T[];
  isLonger: boolean;
}

/**
 * Reads a whole list while its rows change. Each row that is in the list all the time is read at least once: in the
 * order of the table or, if it was passed over, at the end.
 * @param options `sort`: of the table. `steadySort`: a sort by a value that never changes, or null if the list
 *   has only one order, which is steady.
 */
export async function* listParts<T>(
  list: (part: PartOfList) => Promise<ListResponse<T>>,
  {
    sort,
    steadySort,
    keyOf,
  }: { sort: string | undefined; steadySort: string | null; keyOf: (row: T) => Key },
): AsyncGenerator<RowsOfList<T>> {
  if (steadySort === null || sort === steadySort) {
    yield* steadyParts(list, keyOf);
    return;
  }
  let isDone = false;
  for (let offset = 0; !isDone; offset += PART) {
    const response = await list({ limit: PART, offset });
    yield toRows(response);
    isDone = offset + PART >= response.total || response.data.length === 0;
    // A single response has all rows, and a longer list cannot be read to its end.
    if (isDone && (response.total_is_lower_bound === true || (offset === 0 && response.data.length < PART)))
      return;
  }
  // A row that changes may move to a page that was read before.
  yield* steadyParts((part) => list({ ...part, sort: steadySort, direction: 'asc' }), keyOf);
}

/**
 * The pages of a list whose rows keep their order. Rows that leave the list move the others forward. So each page begins
 * with a row that was read before, and if it does not, the reading goes back.
 */
async function* steadyParts<T>(
  list: (part: PartOfList) => Promise<ListResponse<T>>,
  keyOf: (row: T) => Key,
): AsyncGenerator<RowsOfList<T>> {
  const seen = new Set<Key>();
  let offset = 0;
  while (true) {
    const response = await list({ limit: PART, offset });
    const [first] = response.data;
    if (offset > 0 && (first === undefined || !seen.has(keyOf(first)))) {
      offset = Math.max(0, offset - PART + 1);
      continue;
    }
    for (const row of response.data) seen.add(keyOf(row));
    yield toRows(response);
    const end = offset + response.data.length;
    // The rows are counted after they are read. Behind a full page, there may be another although rows were deleted.
    const mayContinue = response.data.length === PART && response.total_is_lower_bound !== true;
    if (response.data.length === 0 || (end >= response.total && !mayContinue)) return;
    offset = end - 1;
  }
}

function toRows<T>({ data, total_is_lower_bound }: ListResponse<T>): RowsOfList<T> {
  return { rows: data, isLonger: total_is_lower_bound === true };
}
