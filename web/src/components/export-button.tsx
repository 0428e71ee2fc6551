import { Button } from '@mantine/core';
import { IconDownload, IconX } from '@tabler/icons-react';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type Key, useEffect, useRef, useState } from 'react';
import type { ListAnswer } from '../../../src/ui-api/list-query.ts';
import { shared } from '../texts/shared.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { notifyError, notifyNote } from './notify.tsx';

const words = shared.export;
/** Rows of a request: the most that the service gives. */
const PART = 200;

/** How a list is exported. */
export interface ListExport<T> {
  /** Of the file, without its extension: `accounts`. */
  name: string;
  /** The rows of this part of the list, with its search, filters and order. */
  list: (client: QueryClient, part: { limit: number; offset: number }) => Promise<ListAnswer<T>>;
}

/**
 * Saves all pages of a list as CSV. It reads them part by part, shows how far it is, and stops when it is clicked
 * again. Of a list that is too long to be counted, it saves what can be listed and says so.
 */
export function ExportButton<T extends object>({
  exporting: { name, list },
  rowKey,
}: {
  exporting: ListExport<T>;
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
      // Rows may move to a later part while another one is read.
      const rows = new Map<Key, T>();
      for (let offset = 0; ; offset += PART) {
        const answer = await list(queryClient, { limit: PART, offset });
        if (signal.aborted) return;
        for (const row of answer.data) rows.set(rowKey(row), row);
        setCount(rows.size);
        if (offset + PART < answer.total && answer.data.length > 0) continue;
        const { toCsv, saveFile } = await import('../utilities/csv.ts');
        saveFile(`${name}.csv`, 'text/csv;charset=utf-8', toCsv([...rows.values()]));
        if (answer.total_is_lower_bound === true) notifyNote(words.bound(formatNumber(rows.size)));
        return;
      }
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
