import { useEffect, useRef } from 'react';

/**
 * Returns whether the calling component is still shown, for responses that arrive after its page or dialog was left.
 * @param isOpen for a component that stays mounted while its dialog is closed: whether that is open
 */
export function useIsShown(isOpen = true): () => boolean {
  const opening = useOpening(isOpen);
  return () => opening() !== null;
}

/** Like `useIsShown`, but returns null, or an object that is another one each time the dialog is opened. */
export function useOpening(isOpen: boolean): () => object | null {
  const opening = useRef<object>(null);
  useEffect(() => {
    opening.current = isOpen ? {} : null;
    return () => {
      opening.current = null;
    };
  }, [isOpen]);
  return () => opening.current;
}

/**
 * Returns the action, which has no effect once the calling component is no longer shown.
 * @param isOpen see `useIsShown`
 */
export function useWhileShown(action: () => void, isOpen = true): () => void {
  const isShown = useIsShown(isOpen);
  return () => {
    if (isShown()) action();
  };
}
