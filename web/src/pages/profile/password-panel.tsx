import { PasswordInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/errors.ts';
import { changePassword, ownSessionsQuery } from '../../api/profile.ts';
import { FormProblem } from '../../components/form-problem.tsx';
import { NewPasswordFields } from '../../components/new-password-fields.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { Panel } from '../../components/panel.tsx';
import { checkPassword } from '../../components/password-check.ts';
import { SaveButton } from '../../components/save-button.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useSession } from '../../session/session-context.ts';
import { account } from '../../texts/sign-in.ts';
import styles from './profile.module.css';

const texts = account.profile;
/** The names of the fields in the API. */
const FIELDS = { current_password: 'current', new_password: 'password' } as const;

/** Changes the password. The current one is required. */
export function PasswordPanel() {
  const { administrator } = useSession();
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current: '', password: '', repeat: '' },
    validate: {
      current: isNotEmpty(account.checks.required),
      password: (value) => checkPassword(value, administrator.email),
      repeat: (value, { password }) => (value === password ? null : account.checks.different),
    },
  });
  const focus = (field: string | undefined) => field !== undefined && form.getInputNode(field)?.focus();
  const change = useFormMutation({
    mutationFn: ({ current, password }: { current: string; password: string }) =>
      changePassword({ current_password: current, new_password: password }),
    onSuccess: async () => {
      form.reset();
      notifyDone(texts.changed);
      await queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey });
    },
    onError: (error) => {
      const wrong = wrongFields(error);
      form.setErrors(wrong);
      focus(Object.keys(wrong)[0]);
    },
  });
  return (
    <Panel title={texts.password} description={texts.passwordDescription}>
      <form
        noValidate
        className={styles.form}
        onSubmit={form.onSubmit(
          (values) => change.mutate(values),
          (errors) => focus(Object.keys(errors)[0]),
        )}
      >
        <FormProblem error={change.error} fields={Object.keys(FIELDS)} />
        <input type="hidden" autoComplete="username" value={administrator.email} readOnly />
        <PasswordInput
          label={texts.current}
          autoComplete="current-password"
          key={form.key('current')}
          {...form.getInputProps('current')}
        />
        <NewPasswordFields form={form} label={texts.new} repeatLabel={texts.repeat} />
        <div>
          <SaveButton saving={change.isPending}>{texts.change}</SaveButton>
        </div>
      </form>
    </Panel>
  );
}

function wrongFields(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.errors.flatMap(({ pointer, detail }): [string, string][] => {
      if (pointer === '/current_password') return [[FIELDS.current_password, texts.wrong]];
      return pointer === '/new_password' ? [[FIELDS.new_password, texts.notThisPassword(detail)]] : [];
    }),
  );
}
