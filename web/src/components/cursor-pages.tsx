import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './cursor-pages.module.css';

/** The foot of a list that has only cursors, without page numbers: its export, and buttons for other pages. */
export function CursorPages({
  label,
  buttons,
  exporting,
}: {
  /** The name of the buttons. */
  label: string;
  /** `show` is null for a page that does not exist. */
  buttons: readonly { label: string; show: (() => void) | null }[];
  /** The button that exports the list. */
  exporting?: ReactNode;
}) {
  const hasPages = buttons.some(({ show }) => show !== null);
  if (!hasPages && exporting === undefined) return null;
  return (
    // The same element with and without pages, so that an export continues when pages appear.
    <div className={styles.foot}>
      {exporting}
      {hasPages && (
        <nav className={styles.pages} aria-label={label}>
          {buttons.map(({ label: page, show }) => (
            <Button
              key={page}
              variant="default"
              size="xs"
              disabled={show === null}
              onClick={show ?? undefined}
            >
              {page}
            </Button>
          ))}
        </nav>
      )}
    </div>
  );
}
