import { MAX_COUNTED } from '../../../../src/ui-api/list-limits.ts';
import type { DeadLetterListResponse } from '../../api/dead-letters.ts';
import type { FurtherSearch } from '../../components/search-further.tsx';
import type { TableState } from '../../components/use-table.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { formatNumber } from '../../utilities/numbers.ts';

const { description, ...words } = deadLetters.searching;

/** How the search continues with older dead letters; undefined if there are none. */
export function furtherSearch(
  page: DeadLetterListResponse | undefined,
  table: TableState,
): FurtherSearch | undefined {
  const next = page?.next_cursor ?? null;
  if (next === null) return undefined;
  return {
    ...words,
    description: description(formatNumber(MAX_COUNTED)),
    go: () => table.change({ cursor: next }),
  };
}
