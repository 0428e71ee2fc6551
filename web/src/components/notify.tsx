import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { explainError } from './explain-error.ts';

const ERROR_SHOWN_MS = 12_000;
const WITH_ACTION_SHOWN_MS = 20_000;

/** Shows briefly that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', icon: <IconCheck size={18} /> });
}

/** Shows briefly that something was done, with a button for what may be done next. */
export function notifyWithAction(message: string, label: string, act: () => void): void {
  const id = notifications.show({
    message: (
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <span>{message}</span>
        <Button
          variant="default"
          size="xs"
          flex="none"
          onClick={() => {
            notifications.hide(id);
            act();
          }}
        >
          {label}
        </Button>
      </Group>
    ),
    color: 'teal',
    icon: <IconCheck size={18} />,
    autoClose: WITH_ACTION_SHOWN_MS,
  });
}

/** Shows a brief note. */
export function notifyNote(message: string): void {
  notifications.show({ message, color: 'blue', icon: <IconInfoCircle size={18} /> });
}

/**
 * Shows how far something got that ran in a dialog which was left. It is shown as long as an error.
 * @param error what has ended it, shown before it; null if nothing failed
 */
export function notifyLeft(title: string, message: string, error: unknown): void {
  if (error !== null) notifyError(error);
  notifications.show({
    title,
    message,
    color: 'blue',
    icon: <IconInfoCircle size={18} />,
    autoClose: ERROR_SHOWN_MS,
  });
}

/** Shows that a part of an action without a form failed. */
export function notifyFailed(title: string, message: ReactNode): void {
  notifications.show({
    title,
    message,
    color: 'red',
    icon: <IconAlertTriangle size={18} />,
    autoClose: ERROR_SHOWN_MS,
    role: 'alert',
  });
}

/** Shows an error of an action without a form. Of a 401, too: the action was not done, and is not done after signing in. */
export function notifyError(error: unknown): void {
  const { title, detail, advice } = explainError(error);
  notifyFailed(title, [detail, advice].filter(Boolean).join(' '));
}
