import { useEffect, useRef } from 'react';

/** Returns whether the calling component is still shown, for responses that arrive after its page or dialog was left. */
export function useIsShown(): () => boolean {
  const shown = useRef(false);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  return () => shown.current;
}
