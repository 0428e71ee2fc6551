import { Modal, ModalStackContext } from '@mantine/core';
import { type FocusEvent, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { shared } from '../texts/shared.ts';
import { Dialog } from './dialog.tsx';
import { LossQuestion } from './loss-question.tsx';

const texts = shared.discard;

/**
 * A dialog with a form. Its close button and the Escape key ask first if there is unsaved input. A click outside of the
 * dialog does nothing.
 */
export function FormDialog({
  opened,
  title,
  question = texts,
  isHeld = false,
  onClose,
  children,
}: {
  opened: boolean;
  title: string;
  /** Asked if there is unsaved input. */
  question?: { title: string; description: string };
  /** Whether it cannot be closed at the moment, except by its form. */
  isHeld?: boolean;
  onClose: () => void;
  /** Renders the form. Call `onChanged` with whether there is unsaved input. */
  children: (onChanged: (changed: boolean) => void) => ReactNode;
}) {
  /** A ref, not a state, so that it applies from the first key press. */
  const changed = useRef(false);
  const onChanged = useCallback((isChanged: boolean) => {
    changed.current = isChanged;
  }, []);
  const [asking, setAsking] = useState(false);
  // Back also closes the dialog, with its question.
  if (asking && !opened) setAsking(false);
  // If its page adds a question, the Escape key belongs to the last one of all dialogs.
  const isInStack = useContext(ModalStackContext) !== null;
  const close = () => {
    if (isHeld) return;
    if (changed.current) setAsking(true);
    else onClose();
  };
  const dialogs = (
    <>
      <Dialog
        stackId="form"
        opened={opened}
        onClose={close}
        onFocus={markFocused}
        title={title}
        size="lg"
        closeOnClickOutside={false}
        withCloseButton={!isHeld}
      >
        {children(onChanged)}
      </Dialog>
      <LossQuestion
        stackId="discard"
        opened={opened && asking}
        question={question}
        keep={texts.keep}
        lose={texts.confirm}
        onKeep={() => setAsking(false)}
        onLose={() => {
          setAsking(false);
          onClose();
        }}
      />
    </>
  );
  return isInStack ? dialogs : <Modal.Stack>{dialogs}</Modal.Stack>;
}

/** Marks the field with the focus, which then gets it back when a dialog in front of the form is closed. */
function markFocused({ currentTarget: form, target }: FocusEvent<HTMLElement>): void {
  // React also reports the focus in a dialog that the form has opened.
  if (!form.contains(target)) return;
  for (const marked of form.querySelectorAll('[data-autofocus]')) marked.removeAttribute('data-autofocus');
  target.setAttribute('data-autofocus', 'true');
}
