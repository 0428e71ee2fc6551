import { useEffect, useEffectEvent } from 'react';
import { focusHeading } from './focus-heading.ts';

/**
 * Returns the focus, once a dialog is closed, to what had it when the dialog was opened. If that has disappeared, such as
 * a button for rows that were deleted, the heading of the page gets the focus.
 * @param openerOf returns what had the focus
 */
export function useReturnFocus(
  opened: boolean,
  openerOf: () => Element | null = () => document.activeElement,
): void {
  const findOpener = useEffectEvent(openerOf);
  useEffect(() => {
    if (!opened) return;
    const opener = findOpener();
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
      if (opener?.isConnected === false) focusHeading();
    };
  }, [opened]);
}
