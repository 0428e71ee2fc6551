import { VisuallyHidden } from '@mantine/core';
import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { shared } from '../texts/shared.ts';

const HEADING = 'main h1';
const FIRST_FIELD = 'main [data-autofocus]';
const START = `${HEADING}, ${FIRST_FIELD}`;

/**
 * Prepares each opened page for browsers and screen readers: sets its title and moves the focus. The focus goes to the
 * heading, or to the first field of a form that starts empty.
 */
export function RootLayout() {
  const title = useMatches({
    select: (matches) => matches.findLast((match) => match.staticData.title !== undefined)?.staticData.title,
  });
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const [announced, setAnnounced] = useState('');
  const shown = useRef<string>(undefined);

  useEffect(() => {
    document.title = title === undefined ? shared.product : `${title} · ${shared.product}`;
  }, [title]);

  useEffect(() => {
    const opened = shown.current !== undefined && pathname !== shown.current;
    shown.current = pathname;
    if (!opened) return;
    setAnnounced(document.title);
    if (focusStart()) return;
    // The page reads its data first. It gets the focus now, and its heading once there is one.
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
    const observer = new MutationObserver(() => {
      if (document.querySelector(START) === null) return;
      observer.disconnect();
      // Someone may have put the focus elsewhere in the meantime.
      const { activeElement } = document;
      if (activeElement === document.body || activeElement?.tagName === 'MAIN') focusStart();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [pathname]);

  return (
    <>
      <Outlet />
      <VisuallyHidden role="status">{announced}</VisuallyHidden>
    </>
  );
}

/** Returns whether there is something to focus. */
function focusStart(): boolean {
  const start =
    document.querySelector<HTMLElement>(FIRST_FIELD) ?? document.querySelector<HTMLElement>(HEADING);
  start?.focus({ preventScroll: true });
  return start !== null;
}
