import { MAX_COUNTED } from '../../../../src/ui-api/list-limits.ts';
import type { DeadLetterListAnswer } from '../../api/dead-letters.ts';
import type { FurtherSearch } from '../../components/table-footer.tsx';
import { type TableState, useTable } from '../../components/use-table.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { formatNumber } from '../../utilities/numbers.ts';

const { description, ...words } = deadLetters.searching;

/** The table of the dead letters. Another search or filter begins at the newest ones. */
export function useLetterTable(): TableState {
  const table = useTable(['delivery', 'of']);
  return {
    ...table,
    change: (members, options) => {
      const isSamePart = 'page' in members || 'size' in members;
      table.change(isSamePart ? members : { cursor: undefined, ...members }, options);
    },
  };
}

/** How the search continues with older dead letters; undefined if there are none. */
export function furtherSearch(
  page: DeadLetterListAnswer | undefined,
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
