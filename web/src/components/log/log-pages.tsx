import { Button } from '@mantine/core';
import type { TableState } from '../use-table.ts';
import styles from './log.module.css';

/** The interface leads only to older entries. The browser leads back. */
export function LogPages({
  cursor,
  next,
  table,
  words,
}: {
  /** Of this page; undefined for the newest one. */
  cursor: string | undefined;
  /** Of the next page; null for none. */
  next: string | null;
  table: TableState;
  words: { pages: string; newest: string; older: string };
}) {
  if (cursor === undefined && next === null) return null;
  return (
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
  );
}
