import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCheck, IconInfoCircle } from '@tabler/icons-react';
import { explainError } from './explain-error.ts';

const ERROR_SHOWN_MS = 12_000;

/** Says shortly that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', icon: <IconCheck size={18} /> });
}

/** Says shortly what is to be known, where nothing was done. */
export function notifyNote(message: string): void {
  notifications.show({ message, color: 'blue', icon: <IconInfoCircle size={18} /> });
}

/** Says that something failed where no form could. A 401 says itself: the layout asks to sign in again. */
export function notifyError(error: unknown): void {
  const { title, detail, advice } = explainError(error);
  notifications.show({
    title,
    message: [detail, advice].filter(Boolean).join(' '),
    color: 'red',
    icon: <IconAlertTriangle size={18} />,
    autoClose: ERROR_SHOWN_MS,
    role: 'alert',
  });
}
