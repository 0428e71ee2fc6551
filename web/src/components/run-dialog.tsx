import { Modal } from '@mantine/core';
import { createContext, type ReactNode, useContext, useLayoutEffect, useState } from 'react';
import { viewIn } from '../navigation/view-in.ts';
import { shared } from '../texts/shared.ts';
import { Dialog } from './dialog.tsx';
import { UnsavedChanges } from './unsaved-changes.tsx';

const Hold = createContext<(isHeld: boolean) => void>(() => {});

/**
 * A dialog for work that is done step by step. While its form renders `KeepDialogOpen`, it cannot be closed, and leaving the
 * page asks first.
 */
export function RunDialog({
  opened,
  title,
  onClose,
  children,
}: {
  opened: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const [isHeld, setHeld] = useState(false);
  return (
    <Modal.Stack>
      <Dialog
        stackId="run"
        opened={opened}
        onClose={isHeld ? () => {} : onClose}
        withCloseButton={!isHeld}
        title={title}
        size="md"
      >
        <Hold value={setHeld}>{children}</Hold>
      </Dialog>
      <UnsavedChanges
        when={isHeld}
        question={shared.running}
        isShownIn={viewIn}
        // A dialog that stays open shows the result.
        staysAfter={opened}
      />
    </Modal.Stack>
  );
}

/** Keeps the `RunDialog` around it open while something runs in it, because closing the dialog would stop that. */
export function KeepDialogOpen({ when }: { when: boolean }): null {
  const hold = useContext(Hold);
  useLayoutEffect(() => {
    hold(when);
    return () => hold(false);
  }, [when, hold]);
  return null;
}
