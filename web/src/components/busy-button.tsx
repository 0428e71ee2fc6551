import { Button, type ButtonProps } from '@mantine/core';
import { keepsFocus } from './focus-heading.ts';

/** A button that keeps the focus while its action is under way. A disabled button would lose it, and so would one that disappears. */
export function BusyButton({
  isBusy,
  disabled = false,
  onClick,
  ...props
}: Omit<ButtonProps, 'loading'> & {
  isBusy: boolean;
  onClick: () => void;
  title?: string | undefined;
  'aria-label'?: string | undefined;
}) {
  return (
    <Button
      {...props}
      loading={isBusy}
      aria-disabled={isBusy || disabled}
      data-disabled={disabled}
      onClick={isBusy ? undefined : onClick}
      renderRoot={(root) => (
        <span ref={keepsFocus} style={{ display: 'contents' }}>
          <button {...root} type="button" disabled={disabled} />
        </span>
      )}
    />
  );
}
