import { VisuallyHidden } from '@mantine/core';
import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { PageNameContext } from '../navigation/page-name.ts';
import { shared } from '../texts/shared.ts';

const HEADING = 'main h1';
const FIRST_FIELD = 'main [data-autofocus]';
const START = `${HEADING}, ${FIRST_FIELD}`;
/** In place of a page that could not be read. */
const FAILURE = 'main [role=alert]';

/**
 * Prepares each opened page for browsers and screen readers: sets its title and moves the focus. The focus goes to the
 * heading, or to the first field of a form that starts empty.
 */
export function RootLayout() {
  const kind = useMatches({
    select: (matches) => matches.findLast((match) => match.staticData.title !== undefined)?.staticData.title,
  });
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const [name, setName] = useState<string | null>(null);
  const title = name ?? kind;
  /** How many pages were opened whose heading or first field is shown, so that their names are known. */
  const [started, setStarted] = useState(0);
  const [announced, setAnnounced] = useState('');
  const shown = useRef<string>(undefined);

  useEffect(() => {
    document.title = title === undefined ? shared.product : `${title} · ${shared.product}`;
  }, [title]);

  useEffect(() => {
    const opened = shown.current !== undefined && pathname !== shown.current;
    shown.current = pathname;
    if (!opened) return;
    if (focusStart()) {
      setStarted((before) => before + 1);
      return;
    }
    // The page reads its data first. It gets the focus now, and its heading once there is one.
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
    const watch = () => {
      if (document.querySelector(START) === null) {
        // Its name is not known, only its kind.
        if (document.querySelector(FAILURE) !== null) setAnnounced(document.title);
        return;
      }
      observer.disconnect();
      setStarted((before) => before + 1);
      // Someone may have put the focus elsewhere in the meantime.
      const { activeElement } = document;
      if (activeElement === document.body || activeElement?.tagName === 'MAIN') focusStart();
    };
    const observer = new MutationObserver(watch);
    observer.observe(document.body, { childList: true, subtree: true });
    watch();
    return () => observer.disconnect();
  }, [pathname]);

  useEffect(() => {
    if (started > 0) setAnnounced(document.title);
  }, [started]);

  return (
    <PageNameContext value={setName}>
      <Outlet />
      <VisuallyHidden role="status">{announced}</VisuallyHidden>
    </PageNameContext>
  );
}

/** Returns whether there is something to focus. */
function focusStart(): boolean {
  const start =
    document.querySelector<HTMLElement>(FIRST_FIELD) ?? document.querySelector<HTMLElement>(HEADING);
  start?.focus({ preventScroll: true });
  return start !== null;
}
