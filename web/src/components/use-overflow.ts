import { type RefCallback, useCallback, useState } from 'react';

/** Whether the content of an element is wider than the element, and a ref for the element. */
export function useOverflow(): [RefCallback<HTMLElement>, boolean] {
  const [isTooWide, setTooWide] = useState(false);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const measure = () => setTooWide(element.scrollWidth > element.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);
  return [ref, isTooWide];
}
