import type { Key } from 'react';
import { selection as texts } from '../../texts/selection.ts';
import type { Column } from '../table-columns.ts';
import { RowCheckbox } from './row-checkbox.tsx';
import type { Selection } from './use-selection.ts';

/** The column of a list whose rows can be selected. Shift selects all rows up to the last one. */
export function selectColumn<T>(
  selection: Selection<T>,
  rows: readonly T[],
  keyOf: (row: T) => Key,
  nameOf: (row: T) => string,
): Column<T> {
  const count = rows.filter((row) => selection.chosen.has(keyOf(row))).length;
  const all = rows.length > 0 && count === rows.length;
  return {
    id: 'select',
    label: texts.column,
    width: '2.75rem',
    card: 'actions',
    head: (
      <RowCheckbox
        label={texts.page}
        checked={all}
        indeterminate={count > 0 && !all}
        disabled={rows.length === 0}
        onChange={() => selection.choose(rows, !all)}
      />
    ),
    cell: (row) => (
      <RowCheckbox
        label={texts.one(nameOf(row))}
        checked={selection.chosen.has(keyOf(row))}
        onChange={(isChosen, asRange) => selection.chooseOne(row, isChosen, asRange)}
      />
    ),
  };
}
