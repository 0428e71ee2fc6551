import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { selection as texts } from '../../texts/selection.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkWords } from './bulk-words.ts';
import { useAskedRows } from './use-asked-rows.ts';
import type { Selection } from './use-selection.ts';

/**
 * Deletes the selected rows of a list, or removes them from it. Returns a button, and the dialog that asks, deletes and
 * lists failures.
 */
export function useBulkDelete<T>(
  selection: Selection<T>,
  {
    label = texts.delete,
    words,
    nameOf,
    description,
    typed = () => false,
    act,
    onEnd,
  }: {
    /** The label of the button. */
    label?: string;
    words: BulkWords;
    nameOf: (row: T) => string;
    /** Describes what else is lost. */
    description: (rows: readonly T[]) => ReactNode;
    /** Whether the number of rows must be typed first. */
    typed?: (rows: readonly T[]) => boolean;
    act: (row: T) => Promise<unknown>;
    onEnd: () => Promise<unknown>;
  },
): { button: ReactNode; dialog: ReactNode } {
  // The selection shrinks while they are deleted.
  const asked = useAskedRows(selection);
  return {
    button: (
      <Button size="xs" color="red" variant="light" onClick={asked.open}>
        {label}
      </Button>
    ),
    dialog: (
      <BulkDialog
        opened={asked.isOpen}
        items={asked.rows.map((row) => ({ row, name: nameOf(row) }))}
        words={words}
        typed={typed(asked.rows)}
        act={act}
        onDone={(row) => selection.choose([row], false)}
        onEnd={onEnd}
        onClose={asked.close}
      >
        {description(asked.rows)}
      </BulkDialog>
    ),
  };
}
