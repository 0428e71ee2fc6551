import { Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { clients } from '../../texts/clients.ts';

const { discard: texts } = clients;

/** A dialog with a form. Its close button and the Escape key ask first if there is unsaved input. */
export function ClientDialog({
  opened,
  title,
  onClose,
  children,
}: {
  opened: boolean;
  title: string;
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
  return (
    <Modal.Stack>
      <Modal
        stackId="form"
        opened={opened}
        onClose={() => (changed.current ? setAsking(true) : onClose())}
        title={title}
        size="lg"
        closeOnClickOutside={false}
      >
        {children(onChanged)}
      </Modal>
      <Modal
        stackId="discard"
        opened={opened && asking}
        onClose={() => setAsking(false)}
        title={texts.title}
        size="sm"
      >
        <Text>{texts.description}</Text>
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
