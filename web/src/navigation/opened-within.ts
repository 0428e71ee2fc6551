import { useNavigate, useRouter } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True if the previous history entry is the same page, without what this entry has opened. */
    openedWithin?: boolean;
  }
}

/** For links and buttons that open something within a page, so that Back closes it. */
export const OPENED_WITHIN = { openedWithin: true } as const;

/**
 * Closes what was opened within a page, without a new entry in the browser's history. A dialog with unsaved input has
 * asked before, so nothing else asks.
 * @param replace replaces this entry with the page alone, for what was opened by its address
 */
export function useCloseWithin(replace: () => void): () => void {
  const router = useRouter();
  return () => {
    const { state } = router.history.location;
    // After Back, the browser has left this entry, and the router follows once the question has been answered.
    if (window.history.state?.__TSR_key !== state.__TSR_key) return;
    if (state.openedWithin === true) router.history.back({ ignoreBlocker: true });
    else replace();
  };
}

/**
 * Opens and closes the forms of a page that its address contains, so that Back closes them and links open them.
 * @param names the members of the address that open one
 */
export function useFormInAddress<Name extends string>(
  names: readonly Name[],
): { open: (form: { [K in Name]?: string }) => void; close: () => void } {
  const navigate = useNavigate();
  const to = (members: object) => ({
    to: '.',
    // The address of the current page. Its route validates the members.
    search: ((before: object) => ({ ...before, ...members })) as never,
    resetScroll: false,
  });
  const closed = Object.fromEntries(names.map((name) => [name, undefined]));
  return {
    open: (form) => void navigate({ ...to(form), state: OPENED_WITHIN }),
    close: useCloseWithin(() => void navigate({ ...to(closed), replace: true, ignoreBlocker: true })),
  };
}
