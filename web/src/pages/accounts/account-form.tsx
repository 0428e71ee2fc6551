import { Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { focusesFirstField } from '../../components/focus-heading.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { accounts } from '../../texts/accounts.ts';

/** The name of an account and further fields. An error is shown at the name, which then gets the focus. */
export function AccountForm<Values extends { name: string }>({
  form,
  problem,
  children,
  note,
  submit,
  pending,
  onSubmit,
  onClose,
}: {
  form: UseFormReturnType<Values>;
  /** The error, or nothing. */
  problem: ReactNode;
  /** Further fields. */
  children?: ReactNode;
  note: string;
  submit: string;
  pending: boolean;
  onSubmit: (values: Values) => void;
  onClose: () => void;
}) {
  return (
    <form
      ref={focusesFirstField}
      noValidate
      onSubmit={form.onSubmit(
        (values) => {
          if (!pending) onSubmit(values);
        },
        () => form.getInputNode('name')?.focus(),
      )}
    >
      <Stack gap="md">
        {problem}
        <TextInput
          label={accounts.name}
          autoComplete="off"
          data-autofocus
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        {children}
        <Text size="sm" c="dimmed">
          {note}
        </Text>
        <FormButtons submit={submit} pending={pending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
