import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { changeProfile } from '../../api/profile.ts';
import { sessionQuery } from '../../api/session.ts';
import { FormProblem, showFieldErrors } from '../../components/form-problem.tsx';
import { nameFault } from '../../components/name-fault.ts';
import { notifyDone } from '../../components/notify.tsx';
import { Panel } from '../../components/panel.tsx';
import { SaveButton } from '../../components/save-button.tsx';
import { UnsavedChanges } from '../../components/unsaved-changes.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useSession } from '../../session/session-context.ts';
import { navigation } from '../../texts/navigation.ts';
import { shared } from '../../texts/shared.ts';
import { account } from '../../texts/sign-in.ts';
import styles from './profile.module.css';

const FIELDS = ['name'] as const;
const texts = account.profile;

/** Name, e-mail and role. The name can be changed. */
export function NamePanel() {
  const { administrator } = useSession();
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { name: administrator.name },
    validate: { name: (value) => nameFault(value, account.checks.name) },
  });
  const change = useFormMutation({
    mutationFn: ({ name }: { name: string }) => changeProfile({ name: name.trim() }),
    onSuccess: async (_, { name }) => {
      // Keeps later input.
      if (form.getValues().name === name) form.setValues({ name: name.trim() });
      form.resetDirty({ name: name.trim() });
      notifyDone(texts.saved);
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
    onError: (error) => showFieldErrors(form, error, FIELDS),
  });
  const isSent = change.isPending && change.variables.name === form.values.name;
  const save = (values: { name: string }) => {
    if (form.isDirty() && !change.isPending) change.mutate(values);
  };
  return (
    <Panel title={texts.you}>
      <UnsavedChanges when={form.isDirty() && !isSent} />
      <form
        noValidate
        onSubmit={form.onSubmit(save, () => form.getInputNode('name')?.focus())}
        className={styles.form}
      >
        <FormProblem error={change.error} fields={FIELDS} />
        <TextInput label={texts.name} autoComplete="name" {...form.getInputProps('name')} />
        <dl className={styles.facts}>
          <div>
            <dt>{texts.email}</dt>
            <dd>{administrator.email}</dd>
          </div>
          <div>
            <dt>{texts.role}</dt>
            <dd>{navigation.roles[administrator.role]}</dd>
          </div>
        </dl>
        <div>
          <SaveButton saving={change.isPending} canSave={form.isDirty()}>
            {shared.save}
          </SaveButton>
        </div>
      </form>
    </Panel>
  );
}
