import { Button } from '@mantine/core';
import { IconDownload, IconX } from '@tabler/icons-react';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type Key, useEffect, useRef, useState } from 'react';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import type { CursorPage } from '../api/queries.ts';
import { pageCode } from '../navigation/page-code.ts';
import { shared } from '../texts/shared.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { listParts, PART, type PartOfList, type RowsOfList } from './list-parts.ts';
import { notifyError, notifyNote } from './notify.tsx';

const words = shared.export;
const loadCsv = pageCode(() => import('../utilities/csv.ts'));
/** Maximum number of exported rows of a log, so that the file fits the memory of the browser. */
const MAX_ROWS = 100_000;

/** How a list with numbered pages is exported. */
export interface ListExport<T> {
  /** The name of the file without its extension: `accounts`. */
  name: string;
  /** The current rows of this part of the list, with its search, filters and order. Never from the cache. */
  list: (client: QueryClient, part: PartOfList) => Promise<ListResponse<T>>;
  /** A sort by a value that never changes, such as `created`. Null if the list has only one order, which is steady. */
  steadySort: string | null;
}

/** How a list is exported that has only cursors, without page numbers. */
export interface LogExport<T> {
  /** The name of the file without its extension. */
  name: string;
  /**
   * The page of at most `limit` rows after a cursor, with the filters of the list; null for the first page. Never from
   * the cache.
   */
  page: (client: QueryClient, cursor: string | null, limit: number) => Promise<CursorPage<T>>;
}

/**
 * Saves all pages of a list as CSV. It reads them one after another and shows its progress. Another click stops it. If
 * the list is too long to be counted or saved, it saves the first part and says so.
 */
export function ExportButton<T extends object>({
  exporting,
  sort,
  rowKey,
}: {
  exporting: ListExport<T> | LogExport<T>;
  /** The sort of a list, if there are several. */
  sort?: string | undefined;
  rowKey: (row: T) => Key;
}) {
  const queryClient = useQueryClient();
  const [count, setCount] = useState<number | null>(null);
  const stopper = useRef<AbortController>(null);
  useEffect(() => () => stopper.current?.abort(), []);

  const run = async () => {
    const stop = new AbortController();
    stopper.current = stop;
    const { signal } = stop;
    setCount(0);
    try {
      // Loaded first, because without it nobody could use the rows.
      const { toCsv, saveFile } = await loadCsv();
      // Some rows are read more than once.
      const rows = new Map<Key, T>();
      let isLonger = false;
      const parts =
        'page' in exporting
          ? logParts(queryClient, exporting)
          : listParts((part) => exporting.list(queryClient, part), {
              sort,
              steadySort: exporting.steadySort,
              keyOf: rowKey,
            });
      for await (const part of parts) {
        if (signal.aborted) return;
        for (const row of part.rows) rows.set(rowKey(row), row);
        setCount(rows.size);
        isLonger = part.isLonger || rows.size >= MAX_ROWS;
        if (rows.size >= MAX_ROWS) break;
      }
      saveFile(`${exporting.name}.csv`, 'text/csv;charset=utf-8', toCsv([...rows.values()]));
      if (isLonger) notifyNote(words.bound(formatNumber(rows.size)));
    } catch (error) {
      if (!signal.aborted) notifyError(error);
    } finally {
      if (!signal.aborted) setCount(null);
    }
  };
  const cancel = () => {
    stopper.current?.abort();
    setCount(null);
  };
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      color="gray"
      leftSection={
        count === null ? <IconDownload size={14} stroke={1.6} /> : <IconX size={14} stroke={1.6} />
      }
      onClick={() => (count === null ? void run() : cancel())}
    >
      {count === null ? words.action : words.running(formatNumber(count))}
    </Button>
  );
}

/** The pages of a log. Its rows keep their order, and each page begins behind the last row of the page before it. */
async function* logParts<T>(client: QueryClient, exporting: LogExport<T>): AsyncGenerator<RowsOfList<T>> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof exporting.page>> = await exporting.page(client, cursor, PART);
    yield { rows: page.data, isLonger: false };
    cursor = page.next_cursor;
  } while (cursor !== null);
}
