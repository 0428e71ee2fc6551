import { useEffect, useRef } from 'react';

/**
 * Returns whether the calling component is still shown, for responses that arrive after its page or dialog was left.
 * @param isOpen for a component that stays mounted while its dialog is closed: whether that is open
 */
export function useIsShown(isOpen = true): () => boolean {
  const shown = useRef(false);
  useEffect(() => {
    shown.current = isOpen;
    return () => {
      shown.current = false;
    };
  }, [isOpen]);
  return () => shown.current;
}

/** Returns the action, which has no effect once the calling component is no longer shown. */
export function useWhileShown(action: () => void): () => void {
  const isShown = useIsShown();
  return () => {
    if (isShown()) action();
  };
}
