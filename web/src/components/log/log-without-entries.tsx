import { Button } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../empty-state.tsx';
import { type FurtherSearch, SearchFurther } from '../search-further.tsx';
import type { TableState } from '../use-table.ts';

/** The texts of a log for a page without entries. */
export interface LogWords {
  /** If the search has more pages. */
  searching: Omit<FurtherSearch, 'go'>;
  noResults: { title: string; description: string };
  filters: { clear: string };
}

/** The title of a page of a log without entries. */
export function titleWithoutEntries(
  next: string | null,
  isNarrowed: boolean,
  words: LogWords & { empty: { title: string } },
): string {
  if (next !== null) return words.searching.title;
  return isNarrowed ? words.noResults.title : words.empty.title;
}

/**
 * A page of a log without entries: the search has more pages, has found nothing, or the log is empty.
 * @param empty the content for an empty log
 */
export function LogWithoutEntries({
  next,
  table,
  isNarrowed,
  words,
  empty,
}: {
  /** The cursor of the next page; null if there is none. */
  next: string | null;
  table: TableState;
  isNarrowed: boolean;
  words: LogWords;
  empty: ReactNode;
}) {
  if (next !== null) {
    return <SearchFurther {...words.searching} go={() => table.change({ cursor: next })} />;
  }
  if (!isNarrowed) return empty;
  return (
    <EmptyState
      icon={IconSearchOff}
      title={words.noResults.title}
      description={words.noResults.description}
      action={
        <Button variant="default" onClick={table.clear}>
          {words.filters.clear}
        </Button>
      }
    />
  );
}
