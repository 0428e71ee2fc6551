import { Button, Group, Modal, type ModalProps, Text } from '@mantine/core';

/** Asks before something is lost. The answer that loses nothing has the focus. */
export function LossQuestion({
  question: { title, description },
  keep,
  lose,
  onKeep,
  onLose,
  ...modal
}: Pick<ModalProps, 'opened' | 'stackId' | 'zIndex'> & {
  question: { title: string; description: string };
  /** The labels of the answers. */
  keep: string;
  lose: string;
  onKeep: () => void;
  onLose: () => void;
}) {
  return (
    <Modal {...modal} onClose={onKeep} title={title} size="sm">
      <Text>{description}</Text>
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={onKeep} data-autofocus>
          {keep}
        </Button>
        <Button color="red" onClick={onLose}>
          {lose}
        </Button>
      </Group>
    </Modal>
  );
}
