import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

/** Rows beyond the edges, so that scrolling shows no gaps. */
const OVERSCAN = 8;
/** Before the size of the box is known. */
const FIRST_HEIGHT = 600;

/** The rows of equal height that a scrolling box shows: a tree may have twenty thousand. */
export function useWindow(
  box: RefObject<HTMLElement | null>,
  { count, rowHeight }: { count: number; rowHeight: number },
): { first: number; last: number; reveal: (index: number) => void } {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  useLayoutEffect(() => {
    if (box.current !== null) setHeight(box.current.clientHeight);
  }, [box]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onScroll = () => setTop(element.scrollTop);
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    element.addEventListener('scroll', onScroll, { passive: true });
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll);
      observer.disconnect();
    };
  }, [box]);
  return {
    first: Math.max(0, Math.min(count - 1, Math.floor(top / rowHeight) - OVERSCAN)),
    last: Math.min(count - 1, Math.ceil((top + height) / rowHeight) + OVERSCAN),
    reveal: (index) => {
      const element = box.current;
      if (element === null) return;
      const rowTop = index * rowHeight;
      if (rowTop < element.scrollTop) element.scrollTop = rowTop;
      else if (rowTop + rowHeight > element.scrollTop + element.clientHeight)
        element.scrollTop = rowTop + rowHeight - element.clientHeight;
    },
  };
}
