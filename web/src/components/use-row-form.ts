import { useMediaQuery } from '@mantine/hooks';
import { type RefCallback, useCallback, useState } from 'react';
import { type Column, readableWidth } from './table-columns.ts';

/** The breakpoint `sm` of the layout: below it, rows are cards. */
export const PHONE = '(max-width: 48em)';

/** How rows are shown. */
export interface RowForm<T> {
  asCards: boolean;
  /** The columns to show: in a table, those that have room; in cards, all. */
  columns: readonly Column<T>[];
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
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      // In a part of the page that is hidden, nothing has a width.
      if (element.clientWidth > 0) setWidth(element.clientWidth / rem);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const fitting = isPhone === true ? null : fittingColumns(columns, width);
  return [ref, { asCards: fitting === null, columns: fitting ?? columns }];
}

/** The columns that fit a table of this width, in rem. Omits spare ones until the others fit; null if they never do. */
function fittingColumns<T>(columns: readonly Column<T>[], width: number): readonly Column<T>[] | null {
  let needed = columns.reduce((sum, column) => sum + readableWidth(column), 0);
  const omitted = new Set<Column<T>>();
  for (const column of columns.filter(({ isSpare }) => isSpare).reverse()) {
    if (needed <= width) break;
    omitted.add(column);
    needed -= readableWidth(column);
  }
  return needed <= width ? columns.filter((column) => !omitted.has(column)) : null;
}
