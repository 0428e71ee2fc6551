import { Button, Group } from '@mantine/core';
import { shared } from '../texts/shared.ts';

/** What may be done instead of what a dialog asks about. */
export interface Alternative {
  label: string;
  pending: boolean;
  onClick: () => void;
}

/** The last line of a form in a dialog: away without a change, or send it. */
export function FormButtons({
  submit,
  pending,
  disabled = false,
  color,
  alternative,
  onCancel,
}: {
  submit: string;
  pending: boolean;
  disabled?: boolean;
  /** The theme's primary colour when it is left out. */
  color?: 'red' | undefined;
  /** Something else to do instead, beside cancelling. */
  alternative?: Alternative | undefined;
  onCancel: () => void;
}) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onCancel}>
        {shared.cancel}
      </Button>
      {alternative !== undefined && (
        <Button variant="default" loading={alternative.pending} onClick={alternative.onClick}>
          {alternative.label}
        </Button>
      )}
      <Button type="submit" loading={pending} disabled={disabled} {...(color === undefined ? {} : { color })}>
        {submit}
      </Button>
    </Group>
  );
}
