import { Modal, type ModalProps } from '@mantine/core';
import { useReturnFocus } from './use-return-focus.ts';

/** A dialog that returns the focus when it is closed, also if it was open from its first rendering, or if it disappears. */
export function Dialog(props: Omit<ModalProps, 'returnFocus'>) {
  // Mantine returns it only where a dialog was closed before it was open.
  useReturnFocus(props.opened);
  return <Modal {...props} returnFocus={false} />;
}
