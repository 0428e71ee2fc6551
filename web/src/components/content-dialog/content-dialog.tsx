import { Modal, ModalStackContext } from '@mantine/core';
import { useContext, useId, useState } from 'react';
import { viewIn } from '../../navigation/view-in.ts';
import { shared } from '../../texts/shared.ts';
import { Dialog } from '../dialog.tsx';
import { LossQuestion } from '../loss-question.tsx';
import { UnsavedChanges } from '../unsaved-changes.tsx';
import type { Choice } from './choice.ts';
import { ContentForm, type ContentFormProps } from './content-form.tsx';

interface ContentDialogProps<T extends Choice> extends ContentFormProps<T> {
  opened: boolean;
  title: string;
  /** Whether leaving the page asks first. A form that asks about its own changes does not need it. */
  asksBeforeLeaving?: boolean;
}

/**
 * Chooses content or accounts by name: many at once, over several searches and pages, or one. Its close button and the
 * Escape key ask before choices are lost. While they are being saved, only Cancel closes it.
 */
export function ContentDialog<T extends Choice>({
  opened,
  title,
  asksBeforeLeaving = false,
  ...form
}: ContentDialogProps<T>) {
  const { single = false, saving = false, onClose } = form;
  const id = useId();
  const [hasChoices, setHasChoices] = useState(false);
  const [asking, setAsking] = useState(false);
  // Back also closes the dialog, with its question.
  if (asking && !opened) setAsking(false);
  // In front of a form in a dialog, the Escape key belongs to the last one of all dialogs.
  const isInStack = useContext(ModalStackContext) !== null;
  const close = () => {
    if (saving) return;
    if (hasChoices) setAsking(true);
    else onClose();
  };
  const dialogs = (
    <>
      <Dialog
        stackId={id}
        opened={opened}
        onClose={close}
        closeOnClickOutside={single}
        withCloseButton={!saving}
        title={title}
        size="lg"
      >
        <ContentForm {...form} onChanged={setHasChoices} />
      </Dialog>
      <LossQuestion
        stackId={`${id}-discard`}
        opened={opened && asking}
        question={shared.discard}
        keep={shared.discard.keep}
        lose={shared.discard.confirm}
        onKeep={() => setAsking(false)}
        onLose={() => {
          setAsking(false);
          onClose();
        }}
      />
      {asksBeforeLeaving && (
        <UnsavedChanges
          when={opened && hasChoices}
          question={saving ? shared.running : shared.unsaved}
          isShownIn={viewIn}
        />
      )}
    </>
  );
  return isInStack ? dialogs : <Modal.Stack>{dialogs}</Modal.Stack>;
}
