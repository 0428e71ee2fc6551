import { Button } from '@mantine/core';
import type { ReactNode, Ref } from 'react';

/** The button that submits a form. It keeps the focus while the form is saved, and when there is nothing to save. */
export function SaveButton({
  saving,
  canSave,
  ref,
  children,
}: {
  saving: boolean;
  /** Whether there is something to save. */
  canSave: boolean;
  ref?: Ref<HTMLButtonElement>;
  children: ReactNode;
}) {
  return (
    <Button
      loading={saving}
      aria-disabled={saving || !canSave}
      data-disabled={!canSave}
      // A disabled button loses the focus.
      renderRoot={(props) => <button {...props} ref={ref} type="submit" disabled={false} />}
    >
      {children}
    </Button>
  );
}
