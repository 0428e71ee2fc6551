import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { deliveries } from '../../../texts/deliveries.ts';
import styles from './history.module.css';

/**
 * The buttons for other pages of a history. The API returns only next pages, so they remember, while they are shown,
 * from which page each one was opened.
 */
export function HistoryPages({
  of,
  cursor,
  next,
  isLoading,
  exporting,
  onShow,
}: {
  exporting: ReactNode;
  /** The outcome and the filter that the cursors belong to. */
  of: string;
  cursor: string | undefined;
  next: string | null;
  /** Whether the rows, and `next`, are still those of the page or filter before. */
  isLoading: boolean;
  onShow: (cursor: string | undefined) => void;
}) {
  const [openedFrom, setOpenedFrom] = useState<ReadonlyMap<string, string | undefined>>(new Map());
  const keyOf = (page: string | null | undefined) => JSON.stringify([of, page]);
  return (
    // The same element with and without pages, so that an export continues when pages appear.
    <div className={styles.pages}>
      {exporting}
      {(cursor !== undefined || next !== null) && (
        <nav className={styles.pageButtons} aria-label={deliveries.pages}>
          <Button
            variant="default"
            size="xs"
            disabled={cursor === undefined}
            onClick={() => onShow(undefined)}
          >
            {deliveries.newest}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={cursor === undefined || !openedFrom.has(keyOf(cursor))}
            onClick={() => onShow(openedFrom.get(keyOf(cursor)))}
          >
            {deliveries.newer}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={next === null}
            onClick={() => {
              if (isLoading) return;
              setOpenedFrom(new Map(openedFrom).set(keyOf(next), cursor));
              onShow(next ?? undefined);
            }}
          >
            {deliveries.older}
          </Button>
        </nav>
      )}
    </div>
  );
}
