import { Button, Group } from '@mantine/core';
import { shared } from '../texts/shared.ts';
import { BusyButton } from './busy-button.tsx';
import { SaveButton } from './save-button.tsx';

/** An alternative to the action of a dialog. */
export interface Alternative {
  label: string;
  pending: boolean;
  onClick: () => void;
}

/** The buttons of a form in a dialog: cancel or submit. */
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
  /** Defaults to the primary colour of the theme. */
  color?: 'red' | undefined;
  /** Another action, next to the cancel button. */
  alternative?: Alternative | undefined;
  onCancel: () => void;
}) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={onCancel}>
        {shared.cancel}
      </Button>
      {alternative !== undefined && (
        <BusyButton variant="default" isBusy={alternative.pending} onClick={alternative.onClick}>
          {alternative.label}
        </BusyButton>
      )}
      {disabled ? (
        <Button type="submit" disabled>
          {submit}
        </Button>
      ) : (
        <SaveButton saving={pending} color={color}>
          {submit}
        </SaveButton>
      )}
    </Group>
  );
}
