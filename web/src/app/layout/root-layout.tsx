import { VisuallyHidden } from '@mantine/core';
import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { shared } from '../../texts/shared.ts';

/**
 * Sets the title of the page for browsers and screen readers, and moves the focus to its heading, or to the first field of
 * a form that starts empty, when another page opens.
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
