import { Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { type Administrator, administratorsQuery, changeAdministrator } from '../../api/administrators.ts';
import { sessionQuery } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { FormProblem, showFieldErrors } from '../../components/form-problem.tsx';
import { nameFault } from '../../components/name-fault.ts';
import { notifyDone } from '../../components/notify.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { administrators as texts } from '../../texts/administrators.ts';
import { shared } from '../../texts/shared.ts';
import { account } from '../../texts/sign-in.ts';
import { useWhileShown } from '../../utilities/use-is-shown.ts';
import { RoleField } from './role-field.tsx';

const FIELDS = ['name'] as const;

/** Changes the name, the role, and whether the person may sign in. */
export function EditDialog({
  administrator,
  opened,
  onClose,
}: {
  administrator: Administrator;
  opened: boolean;
  onClose: () => void;
}) {
  const title = texts.editDialog.title(administrator.name ?? administrator.email);
  return (
    <Dialog opened={opened} onClose={onClose} closeOnClickOutside={false} title={title}>
      <EditForm administrator={administrator} onClose={onClose} />
    </Dialog>
  );
}

function EditForm({ administrator, onClose }: { administrator: Administrator; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { id, name, email, role, enabled } = administrator;
  const form = useForm({
    initialValues: { name: name ?? '', role, enabled },
    validate: {
      // Whoever has not signed in yet may have no name.
      name: (value) => (name === null && value.trim() === '' ? null : nameFault(value, account.checks.name)),
    },
  });
  const close = useWhileShown(onClose);
  const change = useFormMutation({
    // Only what was changed here: someone else may have changed the rest in the meantime.
    mutationFn: (values: typeof form.values) =>
      changeAdministrator(id, {
        ...(form.isDirty('role') ? { role: values.role } : {}),
        ...(form.isDirty('enabled') ? { enabled: values.enabled } : {}),
        ...(form.isDirty('name') ? { name: values.name.trim() === '' ? null : values.name.trim() } : {}),
      }),
    onSuccess: async () => {
      close();
      notifyDone(texts.editDialog.saved(email));
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: administratorsQuery.queryKey }),
        // People may have changed their own data.
        queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ]);
    },
    onError: (error) => showFieldErrors(form, error, FIELDS),
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(
        (values) => change.mutate(values),
        () => form.getInputNode('name')?.focus(),
      )}
    >
      <Stack gap="md">
        <FormProblem error={change.error} fields={FIELDS} />
        <TextInput
          label={texts.editDialog.name}
          description={name === null ? texts.editDialog.nameLater : undefined}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <RoleField value={form.values.role} onChange={(chosen) => form.setFieldValue('role', chosen)} />
        <Switch
          label={texts.editDialog.enabled}
          description={texts.editDialog.enabledDescription}
          {...form.getInputProps('enabled', { type: 'checkbox' })}
        />
        <FormButtons submit={shared.save} pending={change.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
