import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { shared } from '../texts/shared.ts';
import { isSameName } from '../utilities/same-name.ts';
import { Callout } from './callout.tsx';
import { explainError } from './explain-error.ts';
import { type Alternative, FormButtons } from './form-buttons.tsx';
import { useReturnFocus } from './use-return-focus.ts';

/**
 * Asks for confirmation before something that cannot be undone, and may offer an alternative. With `typedName`,
 * that name must be typed first. If the action fails, the dialog stays open and shows the reason.
 */
export function ConfirmDialog({
  opened,
  title,
  children,
  confirmLabel,
  typedName,
  harmless = false,
  pending = false,
  error,
  alternative,
  onConfirm,
  onClose,
}: {
  opened: boolean;
  title: string;
  children: ReactNode;
  confirmLabel: string;
  typedName?: string;
  harmless?: boolean;
  pending?: boolean;
  error?: unknown;
  alternative?: Alternative | undefined;
  onConfirm: () => void;
  onClose: () => void;
}) {
  // Mantine returns it too late for a dialog that opens when this one closes.
  useReturnFocus(opened);
  return (
    <Modal opened={opened} onClose={onClose} returnFocus={false} title={title} size="md">
      <ConfirmForm
        {...{ children, confirmLabel, harmless, pending, error, alternative, onConfirm, onClose }}
        typedName={typedName}
      />
    </Modal>
  );
}

function ConfirmForm({
  children,
  confirmLabel,
  typedName,
  harmless,
  pending,
  error,
  alternative,
  onConfirm,
  onClose,
}: {
  children: ReactNode;
  confirmLabel: string;
  typedName: string | undefined;
  harmless: boolean;
  pending: boolean;
  error: unknown;
  alternative: Alternative | undefined;
  onConfirm: () => void;
  onClose: () => void;
}) {
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
