import { useEffect } from 'react';

/** Returns the focus, once a dialog is closed, to what had it when the dialog was opened. */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const opener = document.activeElement;
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, [opened]);
}
