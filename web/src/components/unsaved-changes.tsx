import { Button, Group, getDefaultZIndex, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { shared } from '../texts/shared.ts';

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
  /** The question. */
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
    <Modal
      // The Escape key belongs to this dialog while it is open, even above a form in a dialog.
      stackId="unsaved-changes"
      opened={blocker.status === 'blocked'}
      onClose={() => reset?.()}
      title={question.title}
      size="sm"
      zIndex={getDefaultZIndex(above)}
    >
      <Text>{question.description}</Text>
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={() => reset?.()} data-autofocus>
          {texts.stay}
        </Button>
        <Button color="red" onClick={() => proceed?.()}>
          {texts.leave}
        </Button>
      </Group>
    </Modal>
  );
}
