import { Button } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../empty-state.tsx';
import type { TableState } from '../use-table.ts';

/** What a log says if a page of it has no entries. */
export interface LogWords {
  /** If the search has more pages. */
  searching: { title: string; description: string; action: string };
  nothingFits: { title: string; description: string };
  filters: { clear: string };
}

/**
 * A page of a log without entries: the search may go on, has found nothing, or the log is empty.
 * @param empty what an empty log shows
 */
export function LogWithoutEntries({
  next,
  table,
  isNarrowed,
  words,
  empty,
}: {
  /** Of the next page; null for none. */
  next: string | null;
  table: TableState;
  isNarrowed: boolean;
  words: LogWords;
  empty: ReactNode;
}) {
  if (next !== null) {
    const { title, description, action } = words.searching;
    const goOn = <Button onClick={() => table.change({ cursor: next })}>{action}</Button>;
    return <EmptyState icon={IconSearchOff} title={title} description={description} action={goOn} />;
  }
  if (!isNarrowed) return empty;
  return (
    <EmptyState
      icon={IconSearchOff}
      title={words.nothingFits.title}
      description={words.nothingFits.description}
      action={
        <Button variant="default" onClick={table.clear}>
          {words.filters.clear}
        </Button>
      }
    />
  );
}
