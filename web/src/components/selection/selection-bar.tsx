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

/** The selected rows of a list, and the actions on them. */
export function SelectionBar<T>({
  selection,
  rows,
  keyOf,
  total,
  list,
  children,
}: {
  selection: Selection<T>;
  /** The visible rows. */
  rows: readonly T[];
  keyOf: (row: T) => Key;
  /** The total number of rows, with the search and filters of the list. */
  total: number;
  /** Reads the other pages of the list. Without it, only visible rows can be selected. */
  list?: ListExport<T>['list'] | undefined;
  /** Buttons. */
  children: ReactNode;
}) {
  const pageChosen = rows.every((row) => selection.chosen.has(keyOf(row)));
  return (
    <div ref={keepsFocus} className={styles.bar}>
      <span role="status">{texts.count(formatNumber(selection.chosen.size))}</span>
      {!pageChosen && (
        <Button variant="subtle" size="compact-sm" onClick={() => selection.choose(rows, true)}>
          {texts.page}
        </Button>
      )}
      {pageChosen && list !== undefined && total > selection.chosen.size && (
        <SelectAll selection={selection} total={total} list={list} />
      )}
      <Button variant="subtle" size="compact-sm" color="gray" onClick={selection.clear}>
        {texts.none}
      </Button>
      {children}
    </div>
  );
}

/** Selects the rows of all pages. It reads them one after another. Another click stops it. */
function SelectAll<T>({
  selection,
  total,
  list,
}: {
  selection: Selection<T>;
  total: number;
  list: ListExport<T>['list'];
}) {
  const queryClient = useQueryClient();
  const [count, setCount] = useState<number | null>(null);
  const stopper = useRef<AbortController>(null);
  useEffect(() => () => stopper.current?.abort(), []);
  const run = async () => {
    const stop = new AbortController();
    stopper.current = stop;
    setCount(0);
    try {
      for (let offset = 0; ; offset += PART) {
        const answer = await list(queryClient, { limit: PART, offset });
        if (stop.signal.aborted) return;
        selection.choose(answer.data, true);
        setCount(offset + answer.data.length);
        if (offset + PART >= answer.total || answer.data.length === 0) return;
      }
    } catch (error) {
      if (!stop.signal.aborted) notifyError(error);
    } finally {
      if (!stop.signal.aborted) setCount(null);
    }
  };
  const cancel = () => {
    stopper.current?.abort();
    setCount(null);
  };
  return (
    <Button variant="subtle" size="compact-sm" onClick={() => (count === null ? void run() : cancel())}>
      {count === null ? texts.all(formatNumber(total)) : texts.selecting(formatNumber(count))}
    </Button>
  );
}
