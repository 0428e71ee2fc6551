import { Modal, type ModalProps } from '@mantine/core';
import { useReturnFocus } from './use-return-focus.ts';

/** A dialog that returns the focus when it is closed, also if it was open from its first rendering, or if it disappears. */
export function Dialog(props: Omit<ModalProps, 'returnFocus'>) {
  // Mantine forgets it in a `Modal.Stack` and for a dialog that begins open, and returns it too late for one that opens when this
  // one closes.
  useReturnFocus(props.opened);
  return <Modal {...props} returnFocus={false} />;
}
