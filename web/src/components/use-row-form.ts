import { useMediaQuery } from '@mantine/hooks';
import { type RefCallback, useCallback, useState } from 'react';
import { pixelsOfRem } from '../utilities/pixels-of-rem.ts';
import { type Column, readableWidth } from './table-columns.ts';
import type { ColumnWidths } from './use-too-wide.ts';

/** The breakpoint `sm` of the layout: below it, rows are cards. */
export const PHONE = '(max-width: 48em)';

/** How rows are shown. */
export interface RowForm<T> {
  asCards: boolean;
  /** The columns to show: in a table, those that have room; in cards, all. */
  columns: readonly Column<T>[];
  /** For useTooWide: takes note of columns whose content needs more width than was expected. */
  onTooWide: (widths: ColumnWidths) => void;
}

/**
 * How rows are shown in the width of their place: as a table, if necessary without its spare columns. As cards on phones, and
 * wherever even that table would be too narrow to read.
 *
 * @returns a ref for the element that limits the width, and the form
 */
export function useRowForm<T>(columns: readonly Column<T>[]): [RefCallback<HTMLElement>, RowForm<T>] {
  const isPhone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  // Kept while the list is open, so that no column comes and goes with the rows.
  const [measured, setMeasured] = useState<ColumnWidths>(new Map());
  const onTooWide = useCallback(
    (widths: ColumnWidths) => setMeasured((before) => widest(before, widths)),
    [],
  );
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const measure = () => {
      // In a part of the page that is hidden, nothing has a width.
      if (element.clientWidth > 0) setWidth(element.clientWidth / pixelsOfRem());
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const fitting = isPhone === true ? null : fittingColumns(columns, measured, width);
  return [ref, { asCards: fitting === null, columns: fitting ?? columns, onTooWide }];
}

/** The columns that fit a table of this width, in rem. Omits spare ones until the others fit; null if they never do. */
function fittingColumns<T>(
  columns: readonly Column<T>[],
  measured: ColumnWidths,
  width: number,
): readonly Column<T>[] | null {
  const neededBy = (column: Column<T>) => Math.max(readableWidth(column), measured.get(column.id) ?? 0);
  let needed = columns.reduce((sum, column) => sum + neededBy(column), 0);
  const omitted = new Set<Column<T>>();
  for (const column of columns.filter(({ isSpare }) => isSpare).reverse()) {
    if (needed <= width) break;
    omitted.add(column);
    needed -= neededBy(column);
  }
  return needed <= width ? columns.filter((column) => !omitted.has(column)) : null;
}

/** The greater width of each column. The first map itself if it has all of them. */
function widest(before: ColumnWidths, now: ColumnWidths): ColumnWidths {
  const wider = [...now].filter(([id, width]) => width > (before.get(id) ?? 0));
  return wider.length === 0 ? before : new Map([...before, ...wider]);
}
