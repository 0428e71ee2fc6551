import { type RefCallback, useCallback } from 'react';
import { pixelsOfRem } from '../utilities/pixels-of-rem.ts';

/** The widths of columns, in rem, by their ids. */
export type ColumnWidths = ReadonlyMap<string, number>;

/**
 * Calls back with the widths of a table's columns if the table is wider than the element around it. No column can be
 * narrower then. Each `th` names its column in `data-column`.
 *
 * @param onTooWide must not change from one rendering to the next
 * @returns a ref for the element around the table
 */
export function useTooWide(onTooWide: (widths: ColumnWidths) => void): RefCallback<HTMLElement> {
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const measure = () => {
        if (element.scrollWidth > element.clientWidth) onTooWide(widthsIn(element));
      };
      const observer = new ResizeObserver(measure);
      observer.observe(element);
      for (const child of element.children) observer.observe(child);
      return () => observer.disconnect();
    },
    [onTooWide],
  );
}

function widthsIn(element: HTMLElement): ColumnWidths {
  const rem = pixelsOfRem();
  const heads = element.querySelectorAll<HTMLElement>('th[data-column]');
  return new Map(
    Array.from(heads, (head) => [head.dataset.column ?? '', head.getBoundingClientRect().width / rem]),
  );
}
