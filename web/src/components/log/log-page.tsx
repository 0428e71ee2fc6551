import { Button } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { CursorPage } from '../../api/queries.ts';
import { CursorPages } from '../cursor-pages.tsx';
import tableStyles from '../data-table.module.css';
import { EmptyState } from '../empty-state.tsx';
import { ErrorState } from '../error-state.tsx';
import { ExportButton, type LogExport } from '../export-button.tsx';
import { keepsFocus } from '../focus-heading.ts';
import { PageHeader } from '../page-header.tsx';
import { SearchStatus } from '../search-status.tsx';
import type { TableState } from '../use-table.ts';
import { TimeFilter } from './log-filters.tsx';
import { LogWithoutEntries, type LogWords, titleWithoutEntries } from './log-without-entries.tsx';

/** How many entries a page of a log has. */
export const LOG_PAGE_SIZE = 50;

/** A page with a log: filters, some of its entries, links to older ones, and its export. */
export function LogPage<Entry extends { id: number | string }>({
  table,
  query,
  words,
  icon,
  exporting,
  filters,
  filtersOfLinks,
  list,
}: {
  table: TableState;
  query: UseQueryResult<CursorPage<Entry>>;
  words: LogWords & {
    title: string;
    description: string;
    /** The name of the list. */
    label: string;
    filters: { from: string; to: string };
    /** Of an empty log. */
    empty: { title: string; description: string };
    pages: string;
    newest: string;
    older: string;
  };
  /** Of an empty log. */
  icon: Icon;
  exporting: LogExport<Entry>;
  filters: ReactNode;
  /** Filters that are set by links and can only be removed. */
  filtersOfLinks: ReactNode;
  /** Renders entries; undefined until they have arrived. `stale` marks those of the previous search. */
  list: (entries: Entry[] | undefined, stale: boolean) => ReactNode;
}) {
  const { data, error, isPlaceholderData, refetch } = query;
  const cursor = typeof table.values.cursor === 'string' ? table.values.cursor : undefined;
  const next = data?.next_cursor ?? null;
  const isNarrowed = table.narrowed || cursor !== undefined;
  return (
    <>
      <PageHeader title={words.title} description={words.description} />
      <section className={tableStyles.frame} aria-label={words.label}>
        <search className={tableStyles.toolbar}>
          {filters}
          <TimeFilter table={table} name="from" label={words.filters.from} />
          <TimeFilter table={table} name="to" label={words.filters.to} />
          {filtersOfLinks}
          {table.narrowed && (
            <Button ref={keepsFocus} variant="subtle" onClick={table.clear}>
              {words.filters.clear}
            </Button>
          )}
        </search>
        <SearchStatus
          page={isPlaceholderData ? undefined : data}
          empty={titleWithoutEntries(next, isNarrowed, words)}
        />
        {data === undefined && error !== null ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : data?.data.length === 0 ? (
          <LogWithoutEntries
            next={next}
            table={table}
            isNarrowed={isNarrowed}
            words={words}
            empty={<EmptyState icon={icon} title={words.empty.title} description={words.empty.description} />}
          />
        ) : (
          list(data?.data, isPlaceholderData)
        )}
        <CursorPages
          label={words.pages}
          buttons={[
            {
              label: words.newest,
              show: cursor === undefined ? null : () => table.change({ cursor: undefined }),
            },
            { label: words.older, show: next === null ? null : () => table.change({ cursor: next }) },
          ]}
          exporting={<ExportButton exporting={exporting} rowKey={({ id }) => id} />}
        />
      </section>
    </>
  );
}
