import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type Key, type ReactNode, useEffect, useRef, useState } from 'react';
import { selection as texts } from '../../texts/selection.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import type { ListExport } from '../export-button.tsx';
import { keepsFocus } from '../focus-heading.ts';
import { PART } from '../list-parts.ts';
import { notifyError } from '../notify.tsx';
import styles from './selection.module.css';
import type { Selection } from './use-selection.ts';

/** Maximum number of rows that are selected at once. The service must pass over all rows before those that it returns. */
const MAX_SELECTED = 10_000;

/** The selected rows of a list, and the actions on them. */
export function SelectionBar<T>({
  selection,
  rows,
  keyOf,
  total,
  isLowerBound = false,
  list,
  children,
}: {
  selection: Selection<T>;
  /** The visible rows. */
  rows: readonly T[];
  keyOf: (row: T) => Key;
  /** The total number of rows, with the search and filters of the list. */
  total: number;
  /** Whether the list has more rows than this. */
  isLowerBound?: boolean;
  /** Reads the other pages of the list. Without it, only visible rows can be selected. */
  list?: ListExport<T>['list'] | undefined;
  /** Buttons. */
  children: ReactNode;
}) {
  const count = Math.min(total, MAX_SELECTED);
  const pageChosen = rows.every((row) => selection.chosen.has(keyOf(row)));
  return (
    <div ref={keepsFocus} className={styles.bar}>
      <span role="status">{texts.count(formatNumber(selection.chosen.size))}</span>
      {!pageChosen && (
        <Button variant="subtle" size="compact-sm" onClick={() => selection.choose(rows, true)}>
          {texts.page}
        </Button>
      )}
      {list !== undefined && (
        <SelectAll
          selection={selection}
          isOffered={pageChosen && count > selection.chosen.size}
          count={count}
          isAll={count === total && !isLowerBound}
          list={list}
        />
      )}
      <Button variant="subtle" size="compact-sm" color="gray" onClick={selection.clear}>
        {texts.none}
      </Button>
      {children}
    </div>
  );
}

/**
 * Selects the rows of all pages, or the first of a very long list. It reads them one after another. Another click stops
 * it, and selects those that it has read.
 */
function SelectAll<T>({
  selection,
  isOffered,
  count,
  isAll,
  list,
}: {
  selection: Selection<T>;
  /** A run continues in any case. */
  isOffered: boolean;
  /** How many rows it selects. */
  count: number;
  /** Whether the list has no others. */
  isAll: boolean;
  list: ListExport<T>['list'];
}) {
  const queryClient = useQueryClient();
  const [read, setRead] = useState<readonly T[] | null>(null);
  const stopper = useRef<AbortController>(null);
  useEffect(() => () => stopper.current?.abort(), []);
  const end = (rows: readonly T[]) => {
    stopper.current?.abort();
    setRead(null);
    // All at once, because each change copies the selection.
    selection.choose(rows, true);
  };
  const run = async () => {
    const stop = new AbortController();
    stopper.current = stop;
    const rows: T[] = [];
    setRead(rows);
    try {
      for (let offset = 0; ; offset += PART) {
        const response = await list(queryClient, { limit: PART, offset });
        if (stop.signal.aborted) return;
        rows.push(...response.data);
        setRead([...rows]);
        if (offset + PART >= Math.min(response.total, MAX_SELECTED) || response.data.length === 0) break;
      }
    } catch (error) {
      if (stop.signal.aborted) return;
      notifyError(error);
    }
    end(rows);
  };
  if (read === null && !isOffered) return null;
  return (
    <Button variant="subtle" size="compact-sm" onClick={() => (read === null ? void run() : end(read))}>
      {read !== null
        ? texts.selecting(formatNumber(read.length))
        : (isAll ? texts.all : texts.first)(formatNumber(count))}
    </Button>
  );
}
