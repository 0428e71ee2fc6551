import { Button, Group } from '@mantine/core';
import { shared } from '../texts/shared.ts';

/** The last line of a form in a dialog: away without a change, or send it. */
export function FormButtons({
  submit,
  pending,
  disabled = false,
  color,
  onCancel,
}: {
  submit: string;
  pending: boolean;
  disabled?: boolean;
  /** The theme's primary colour when it is left out. */
  color?: 'red' | undefined;
  onCancel: () => void;
}) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onCancel}>
        {shared.cancel}
      </Button>
      <Button type="submit" loading={pending} disabled={disabled} {...(color === undefined ? {} : { color })}>
        {submit}
      </Button>
    </Group>
  );
}
