import { Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { shared } from '../texts/shared.ts';

const texts = shared.discard;

/**
 * A dialog with a form. Its close button and the Escape key ask first if there is unsaved input. A click outside of the
 * dialog does nothing.
 */
export function FormDialog({
  opened,
  title,
  question = texts,
  isHeld = false,
  isBehind = false,
  onClose,
  children,
}: {
  opened: boolean;
  title: string;
  /** What it asks. */
  question?: { title: string; description: string };
  /** Whether it cannot be closed at the moment, except by its form. */
  isHeld?: boolean;
  /** Whether the Escape key belongs to another dialog in front of it. */
  isBehind?: boolean;
  onClose: () => void;
  /** Renders the form. Call `onChanged` with whether there is unsaved input. */
  children: (onChanged: (changed: boolean) => void) => ReactNode;
}) {
  /** A ref, not a state, so that it applies from the first key press. */
  const changed = useRef(false);
  const onChanged = useCallback((isChanged: boolean) => {
    changed.current = isChanged;
  }, []);
  const [asking, setAsking] = useState(false);
  const close = () => {
    if (isHeld || isBehind) return;
    if (changed.current) setAsking(true);
    else onClose();
  };
  return (
    <Modal.Stack>
      <Modal
        stackId="form"
        opened={opened}
        onClose={close}
        title={title}
        size="lg"
        closeOnClickOutside={false}
        withCloseButton={!isHeld}
      >
        {children(onChanged)}
      </Modal>
      <Modal
        stackId="discard"
        opened={opened && asking}
        onClose={() => setAsking(false)}
        title={question.title}
        size="sm"
      >
        <Text>{question.description}</Text>
        <Group justify="flex-end" gap="sm" mt="lg">
          <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
            {texts.keep}
          </Button>
          <Button
            color="red"
            onClick={() => {
              setAsking(false);
              onClose();
            }}
          >
            {texts.confirm}
          </Button>
        </Group>
      </Modal>
    </Modal.Stack>
  );
}
