import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { notifyError } from '../components/notify.tsx';
import { pageCode } from '../navigation/page-code.ts';

const loadPalette = pageCode(() => import('./command-palette.tsx'));
const loadShortcuts = pageCode(() => import('./shortcuts-dialog.tsx'));
const CommandPalette = lazy(async () => ({ default: (await loadPalette()).CommandPalette }));
const ShortcutsDialog = lazy(async () => ({ default: (await loadShortcuts()).ShortcutsDialog }));

const LOADS = { palette: loadPalette, shortcuts: loadShortcuts } as const;
type Dialog = keyof typeof LOADS;

/** Elements in which a question mark is typed text. */
const TEXT_FIELDS = 'input, textarea, select, [contenteditable]';

/**
 * The command palette and the list of shortcuts, with their keys. Their code is loaded when one is first opened.
 * @returns the dialog to show within the frame, and a function that opens the palette
 */
export function usePalette(): { dialog: ReactNode; openPalette: () => void } {
  const [shown, setShown] = useState<Dialog | null>(null);
  const open = async (dialog: Dialog) => {
    try {
      await LOADS[dialog]();
      setShown(dialog);
    } catch (error) {
      notifyError(error);
    }
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const dialog = dialogOf(event);
    if (dialog === null) return;
    event.preventDefault();
    // Leaving an open dialog would lose what was entered there.
    if (document.querySelector('[aria-modal="true"]') === null) void open(dialog);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  const close = () => setShown(null);
  return {
    openPalette: () => void open('palette'),
    dialog: (
      <Suspense fallback={null}>
        {shown === 'palette' && <CommandPalette onClose={close} onShortcuts={() => void open('shortcuts')} />}
        {shown === 'shortcuts' && <ShortcutsDialog onClose={close} />}
      </Suspense>
    ),
  };
}

/** The dialog that a key opens; null for other keys. */
function dialogOf({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): Dialog | null {
  if (altKey) return null;
  if ((ctrlKey || metaKey) && !shiftKey) return key.toLowerCase() === 'k' ? 'palette' : null;
  const isText = target instanceof Element && target.closest(TEXT_FIELDS) !== null;
  return key === '?' && !ctrlKey && !metaKey && !isText ? 'shortcuts' : null;
}
