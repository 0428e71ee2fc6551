import { useState } from 'react';
import type { Selection } from './use-selection.ts';

/** The selected rows that a dialog is about. */
export interface AskedRows<T> {
  /** Those that were selected when the dialog was opened: while it is open, others may be selected. */
  rows: readonly T[];
  isOpen: boolean;
  open: () => void;
  close: () => void;
  /** Deselects them. Others stay selected. */
  deselect: () => void;
}

/** Keeps the selected rows that a dialog is about, since reading a long list may select more while it is open. */
export function useAskedRows<T>(selection: Selection<T>): AskedRows<T> {
  const [rows, setRows] = useState<readonly T[]>([]);
  const [isOpen, setOpen] = useState(false);
  return {
    rows,
    isOpen,
    open: () => {
      setRows(selection.items);
      setOpen(true);
    },
    close: () => setOpen(false),
    deselect: () => selection.choose(rows, false),
  };
}
