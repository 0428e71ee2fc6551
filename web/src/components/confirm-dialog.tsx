import { Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { shared } from '../texts/shared.ts';
import { isSameName } from '../utilities/same-name.ts';
import { Callout } from './callout.tsx';
import { Dialog } from './dialog.tsx';
import { explainError } from './explain-error.ts';
import { type Alternative, FormButtons } from './form-buttons.tsx';

interface ConfirmFormProps {
  children: ReactNode;
  confirmLabel: string;
  /** A name that must be typed first. */
  typedName?: string;
  harmless?: boolean;
  pending?: boolean;
  error?: unknown;
  alternative?: Alternative | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

/**
 * Asks for confirmation before something that cannot be undone, and may offer an alternative. If the action fails, the
 * dialog stays open and shows the reason.
 */
export function ConfirmDialog({
  opened,
  title,
  ...form
}: ConfirmFormProps & { opened: boolean; title: string }) {
  return (
    <Dialog opened={opened} onClose={form.onClose} title={title} size="md">
      <ConfirmForm {...form} />
    </Dialog>
  );
}

function ConfirmForm({
  children,
  confirmLabel,
  typedName,
  harmless = false,
  pending = false,
  error,
  alternative,
  onConfirm,
  onClose,
}: ConfirmFormProps) {
  const [typed, setTyped] = useState('');
  const [mismatch, setMismatch] = useState(false);
  const matches = typedName === undefined || isSameName(typed, typedName);
  const explanation = error === undefined || error === null ? null : explainError(error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (matches) onConfirm();
        else setMismatch(true);
      }}
    >
      <Stack gap="md">
        <Text component="div" size="md">
          {children}
        </Text>
        {typedName !== undefined && (
          <TextInput
            label={shared.confirm.type(typedName)}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setMismatch(false);
            }}
            error={mismatch ? shared.confirm.mismatch : undefined}
            autoComplete="off"
            data-autofocus
          />
        )}
        {explanation !== null && (
          <Callout tone="bad" title={explanation.title} live>
            {explanation.detail} {explanation.advice}
          </Callout>
        )}
        <FormButtons
          submit={confirmLabel}
          pending={pending}
          color={harmless ? undefined : 'red'}
          alternative={alternative}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}
