import { Button } from '@mantine/core';
import type { ReactNode, Ref } from 'react';

/** The button that submits a form. It keeps the focus while the form is saved, and when there is nothing to save. */
export function SaveButton({
  saving,
  canSave = true,
  color,
  fullWidth = false,
  ref,
  children,
}: {
  saving: boolean;
  /** Whether there is something to save. */
  canSave?: boolean;
  /** Defaults to the primary colour of the theme. */
  color?: 'red' | undefined;
  fullWidth?: boolean;
  ref?: Ref<HTMLButtonElement>;
  children: ReactNode;
}) {
  return (
    <Button
      loading={saving}
      fullWidth={fullWidth}
      {...(color === undefined ? {} : { color })}
      aria-disabled={saving || !canSave}
      data-disabled={!canSave}
      // Once is enough: this also stops the Enter key in a field.
      onClick={(event) => {
        if (saving) event.preventDefault();
      }}
      // A disabled button loses the focus.
      renderRoot={(props) => <button {...props} ref={ref} type="submit" disabled={false} />}
    >
      {children}
    </Button>
  );
}
