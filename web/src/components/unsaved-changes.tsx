import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { shared } from '../texts/shared.ts';

/** Asks before a page with unsaved changes is left by a link, by the back button, or by closing the tab. */
export function UnsavedChanges({ when }: { when: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: () => when,
    disabled: !when,
    withResolver: true,
  });
  return (
    <Modal
      // The Escape key belongs to this dialog while it is open, even above a form in a dialog.
      stackId="unsaved-changes"
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={shared.unsaved.title}
      size="sm"
    >
      <Text>{shared.unsaved.description}</Text>
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={() => blocker.reset?.()} data-autofocus>
          {shared.unsaved.stay}
        </Button>
        <Button color="red" onClick={() => blocker.proceed?.()}>
          {shared.unsaved.leave}
        </Button>
      </Group>
    </Modal>
  );
}
