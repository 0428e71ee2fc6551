import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';

const ROW_HEIGHT = 32;
const TOUCH_ROW_HEIGHT = 44;
/** Rows beyond the edges, so that scrolling shows no gaps. */
const OVERSCAN = 8;
/** The size of the box until it is measured. */
const FIRST_RECT = { width: 0, height: 600 };

/** Renders only the visible rows of a tree, which are higher on touch screens. */
export function useVirtualRows(count: number) {
  /** The element that scrolls. */
  const box = useRef<HTMLDivElement>(null);
  const rowHeight = useMediaQuery('(pointer: coarse)') === true ? TOUCH_ROW_HEIGHT : ROW_HEIGHT;
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    initialRect: FIRST_RECT,
  });
  useEffect(() => {
    if (rowHeight > 0) virtualizer.measure();
  }, [virtualizer, rowHeight]);
  return { box, rowHeight, virtualizer };
}
