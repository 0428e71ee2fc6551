import { Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { accountsKey, createAccount } from '../../../api/accounts.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { FormProblem, showFieldErrors } from '../../../components/form-problem.tsx';
import { nameFault } from '../../../components/name-fault.ts';
import { notifyDone } from '../../../components/notify.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useIdempotencyKey } from '../../../components/use-idempotency-key.ts';
import { useLeave } from '../../../navigation/use-leave.ts';
import { accounts } from '../../../texts/accounts.ts';
import { AccountForm } from '../account-form.tsx';

const FIELDS = ['name', 'enabled'] as const;
const texts = accounts.create;

/** Creates an account, and opens its page in place of this dialog: Back returns to the page behind it. */
export function CreateAccountDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} closeOnClickOutside={false} title={texts.action}>
      <CreateForm onClose={onClose} />
    </Dialog>
  );
}

function CreateForm({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const keyFor = useIdempotencyKey();
  const form = useForm({
    initialValues: { name: '', enabled: true },
    validate: { name: (value) => nameFault(value, accounts.checks.name) },
  });
  const create = useFormMutation({
    mutationFn: ({ name, enabled }: typeof form.values) => {
      const account = { name: name.trim(), enabled };
      return createAccount(account, keyFor(account));
    },
    onSuccess: async (account) => {
      notifyDone(accounts.created(account.name));
      await leave({ to: '/accounts/$accountId', params: { accountId: account.id }, replace: true });
      await queryClient.invalidateQueries({ queryKey: accountsKey });
    },
    onError: (error) => showFieldErrors(form, error, FIELDS),
  });
  return (
    <AccountForm
      form={form}
      problem={<FormProblem error={create.error} fields={FIELDS} />}
      note={texts.event}
      submit={texts.action}
      pending={create.isPending}
      onSubmit={(values) => create.mutate(values)}
      onClose={onClose}
    >
      <Switch
        label={texts.enabled}
        description={texts.enabledDescription}
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </AccountForm>
  );
}
