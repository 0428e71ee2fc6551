import { getDefaultZIndex } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { shared } from '../texts/shared.ts';
import { LossQuestion } from './loss-question.tsx';

const texts = shared.unsaved;

/**
 * Asks before a page with unsaved changes is left by a link, by the back button, or by closing the tab. If there
 * is nothing left to lose before someone answers, the question closes.
 */
export function UnsavedChanges({
  when,
  question = texts,
  isShownIn = () => null,
  staysAfter = false,
  above = 'modal',
}: {
  when: boolean;
  question?: { title: string; description: string };
  /** The part of the address' search that shows the form, if its page also exists without the form. */
  isShownIn?: (search: object) => unknown;
  /** Whether the page, which shows a result, stays if nothing can be lost anymore. Otherwise, it is left. */
  staysAfter?: boolean;
  /** The layer that it covers. */
  above?: 'modal' | 'popover';
}) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      when && (current.pathname !== next.pathname || isShownIn(current.search) !== isShownIn(next.search)),
    enableBeforeUnload: () => when,
    disabled: !when,
    withResolver: true,
  });
  const { proceed, reset } = blocker;
  useEffect(() => {
    if (when) return;
    if (staysAfter) reset?.();
    else proceed?.();
  }, [when, staysAfter, proceed, reset]);
  // After Back, the browser's address is already that of the next page. Without an answer, the old page would stay with it.
  const leave = useEffectEvent(() => proceed?.());
  useEffect(() => () => leave(), []);
  return (
    <LossQuestion
      // The Escape key belongs to this dialog while it is open, even above a form in a dialog.
      stackId="unsaved-changes"
      opened={blocker.status === 'blocked'}
      zIndex={getDefaultZIndex(above)}
      question={question}
      keep={texts.stay}
      lose={texts.leave}
      onKeep={() => reset?.()}
      onLose={() => proceed?.()}
    />
  );
}
