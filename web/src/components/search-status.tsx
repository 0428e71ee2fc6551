import { VisuallyHidden } from '@mantine/core';
import type { CursorPage } from '../api/queries.ts';
import { shared } from '../texts/shared.ts';

/**
 * Tells screen readers how many results a search has, in a list that does not know its total. Render it also while there
 * are none, because screen readers only announce changes of an element that is there already.
 */
export function SearchStatus({
  page,
  empty,
}: {
  /** Undefined while the results are loading. */
  page: CursorPage<unknown> | undefined;
  /** The title that is shown if there are none. */
  empty: string;
}) {
  return <VisuallyHidden role="status">{page !== undefined && wordsOf(page, empty)}</VisuallyHidden>;
}

function wordsOf({ data, next_cursor: next }: CursorPage<unknown>, empty: string) {
  return data.length === 0 ? empty : shared.table.results(data.length, next !== null);
}
