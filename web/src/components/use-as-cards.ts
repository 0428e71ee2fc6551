import { useMediaQuery } from '@mantine/hooks';
import { type RefCallback, useCallback, useState } from 'react';
import { type Column, readableWidth } from './table-columns.ts';

/** The breakpoint `sm` of the layout: below it, rows are cards. */
export const PHONE = '(max-width: 48em)';

/**
 * Whether rows are cards: on phones, and wherever a table would be wider than its place or have unreadable columns.
 *
 * @returns a ref for the element that limits the width, and the decision
 */
export function useAsCards(columns: readonly Column<never>[]): [RefCallback<HTMLElement>, boolean] {
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
  const needed = columns.reduce((sum, column) => sum + readableWidth(column), 0);
  return [ref, isPhone === true || width < needed];
}
