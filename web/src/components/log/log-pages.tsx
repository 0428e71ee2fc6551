import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { TableState } from '../use-table.ts';
import styles from './log.module.css';

/** Links only to older entries. The browser's Back button returns to newer ones. */
export function LogPages({
  cursor,
  next,
  table,
  exporting,
  words,
}: {
  /** The cursor of this page; undefined for the newest one. */
  cursor: string | undefined;
  /** The cursor of the next page; null if there is none. */
  next: string | null;
  table: TableState;
  /** The button that exports the log. */
  exporting: ReactNode;
  words: { pages: string; newest: string; older: string };
}) {
  return (
    // The same element with and without pages, so that an export continues when pages appear.
    <div className={styles.foot}>
      {exporting}
      {(cursor !== undefined || next !== null) && (
        <nav className={styles.pages} aria-label={words.pages}>
          <Button
            variant="default"
            size="xs"
            disabled={cursor === undefined}
            onClick={() => table.change({ cursor: undefined })}
          >
            {words.newest}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={next === null}
            onClick={() => table.change({ cursor: next ?? undefined })}
          >
            {words.older}
          </Button>
        </nav>
      )}
    </div>
  );
}
