import { Button, Group } from '@mantine/core';
import { shared } from '../texts/shared.ts';
import { BusyButton } from './busy-button.tsx';

/** The buttons of a dialog that works step by step. Stop while it runs, otherwise Close, and Start or Continue. */
export function RunButtons({
  isRunning,
  next,
  onStop,
  onClose,
  color,
}: {
  isRunning: boolean;
  /** Starts or continues; null if there is nothing left to do. */
  next: { label: string; onClick: () => void } | null;
  onStop: () => void;
  onClose: () => void;
  color?: string | undefined;
}) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={isRunning ? onStop : onClose}>
        {isRunning ? shared.stop : shared.close}
      </Button>
      {next !== null && (
        <BusyButton onClick={next.onClick} isBusy={isRunning} {...(color === undefined ? {} : { color })}>
          {next.label}
        </BusyButton>
      )}
    </Group>
  );
}
