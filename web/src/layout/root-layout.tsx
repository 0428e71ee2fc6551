import { VisuallyHidden } from '@mantine/core';
import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { shared } from '../texts/shared.ts';

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
    const start = document.querySelector<HTMLElement>('main [data-autofocus]');
    (start ?? document.querySelector<HTMLElement>('main h1'))?.focus({ preventScroll: true });
  }, [pathname]);

  return (
    <>
      <Outlet />
      <VisuallyHidden role="status">{announced}</VisuallyHidden>
    </>
  );
}
