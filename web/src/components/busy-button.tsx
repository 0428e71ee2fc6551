import { Button, type ButtonProps } from '@mantine/core';

/** A button that keeps the focus while its action is under way. A disabled button would lose it. */
export function BusyButton({
  isBusy,
  disabled = false,
  onClick,
  ...props
}: Omit<ButtonProps, 'loading'> & {
  isBusy: boolean;
  onClick: () => void;
  title?: string | undefined;
  'aria-label'?: string;
}) {
  return (
    <Button
      {...props}
      loading={isBusy}
      aria-disabled={isBusy || disabled}
      data-disabled={disabled}
      onClick={isBusy ? undefined : onClick}
      renderRoot={(root) => <button {...root} type="button" disabled={disabled} />}
    />
  );
}
