import { Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { clients } from '../../texts/clients.ts';

const { discard: texts } = clients;

/** A dialog with a form. Its cross and the Escape key ask first while what was entered is not saved. */
export function ClientDialog({
  opened,
  title,
  onClose,
  children,
}: {
  opened: boolean;
  title: string;
  onClose: () => void;
  /** The form; it is given what it tells whether something was entered. */
  children: (onChanged: (changed: boolean) => void) => ReactNode;
}) {
  /** No state: it counts from the very key press on. */
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
