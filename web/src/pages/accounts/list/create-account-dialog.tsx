import { Button, Group, Modal, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { accountsKey, createAccount } from '../../../api/accounts.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import { FormProblem, showFieldErrors } from '../../../components/form-problem.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { accounts } from '../../../texts/accounts.ts';
import { shared } from '../../../texts/shared.ts';
import { checkName } from '../check-name.ts';

const FIELDS = ['name', 'enabled'] as const;
const texts = accounts.create;

/** Makes an account, and opens its page. */
export function CreateAccountDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={texts.action}>
      <CreateForm onClose={onClose} />
    </Modal>
  );
}

function CreateForm({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const key = useRef('');
  const form = useForm({
    initialValues: { name: '', enabled: true },
    validate: { name: checkName },
    // The key belongs to what was sent with it.
    onValuesChange: () => {
      key.current = '';
    },
  });
  const create = useMutation({
    mutationFn: ({ name, enabled }: typeof form.values) => {
      if (key.current === '') key.current = newIdempotencyKey();
      return createAccount({ name: name.trim(), enabled }, key.current);
    },
    onSuccess: async (account) => {
      notifyDone(accounts.created(account.name));
      await navigate({ to: '/accounts/$accountId', params: { accountId: account.id } });
      await queryClient.invalidateQueries({ queryKey: accountsKey });
    },
    onError: (error) => showFieldErrors(form, error, FIELDS),
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(
        (values) => {
          if (!create.isPending) create.mutate(values);
        },
        () => form.getInputNode('name')?.focus(),
      )}
    >
      <Stack gap="md">
        <FormProblem error={create.error} fields={FIELDS} />
        <TextInput
          label={texts.name}
          autoComplete="off"
          data-autofocus
          data-path="name"
          {...form.getInputProps('name')}
        />
        <Switch
          label={texts.enabled}
          description={texts.enabledDescription}
          {...form.getInputProps('enabled', { type: 'checkbox' })}
        />
        <Text size="sm" c="dimmed">
          {texts.event}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {texts.action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
