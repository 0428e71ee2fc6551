import { type ReactNode, useState } from 'react';
import { CursorPages } from '../../../components/cursor-pages.tsx';
import { deliveries } from '../../../texts/deliveries.ts';

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
  const keyOf = (page: string | undefined) => JSON.stringify([of, page]);
  const showOlder = (older: string) => {
    if (isLoading) return;
    setOpenedFrom(new Map(openedFrom).set(keyOf(older), cursor));
    onShow(older);
  };
  return (
    <CursorPages
      label={deliveries.pages}
      buttons={[
        { label: deliveries.newest, show: cursor === undefined ? null : () => onShow(undefined) },
        {
          label: deliveries.newer,
          show: openedFrom.has(keyOf(cursor)) ? () => onShow(openedFrom.get(keyOf(cursor))) : null,
        },
        { label: deliveries.older, show: next === null ? null : () => showOlder(next) },
      ]}
      exporting={exporting}
    />
  );
}
