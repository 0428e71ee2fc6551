import { useRouter } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True when the entry before it is the same page without what this one has opened. */
    openedWithin?: boolean;
  }
}

/** For links that open something within a page: Back closes it. */
export const OPENED_WITHIN = { openedWithin: true } as const;

/**
 * Closes what a link has opened within a page, and leaves no entry in the browser's history.
 * @param replace shows the page without it, in place of this entry: for what was opened by its address
 */
export function useCloseWithin(replace: () => void): () => void {
  const router = useRouter();
  return () => {
    const { state } = router.history.location;
    if (state.openedWithin === true) router.history.back();
    else replace();
  };
}
