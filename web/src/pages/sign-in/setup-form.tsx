import { Stack, TextInput } from '@mantine/core';
import { isEmail, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { acceptInvitation, type Invitation, type Session } from '../../api/session.ts';
import { FormProblem, showFieldErrors } from '../../components/form-problem.tsx';
import { nameFault } from '../../components/name-fault.ts';
import { NewPasswordFields } from '../../components/new-password-fields.tsx';
import { checkPassword } from '../../components/password-check.ts';
import { SaveButton } from '../../components/save-button.tsx';
import { account } from '../../texts/sign-in.ts';

const FIELDS = ['name', 'email', 'password'] as const;
const texts = account.setup;

/** Name, e-mail (fixed if the link is for one person) and a new password. */
export function SetupForm({
  token,
  invitation,
  onDone,
}: {
  token: string;
  invitation: Invitation;
  onDone: (session: Session) => void;
}) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: invitation.name ?? '', email: invitation.email ?? '', password: '', repeat: '' },
    validate: {
      name: (value) => nameFault(value, account.checks.name),
      email: isEmail(account.checks.email),
      password: (value, { email }) => checkPassword(value, email),
      repeat: (value, { password }) => (value === password ? null : account.checks.different),
    },
  });
  const attempt = useMutation({
    mutationFn: ({ name, email, password }: typeof form.values) =>
      acceptInvitation({ token, name: name.trim(), email: email.trim(), password }),
    onSuccess: onDone,
    onError: (error) => showFieldErrors(form, error, FIELDS),
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(
        (values) => attempt.mutate(values),
        (errors) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus(),
      )}
    >
      <Stack gap="md">
        <FormProblem error={attempt.error} fields={FIELDS} />
        <TextInput
          label={texts.name}
          autoComplete="name"
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={texts.email}
          description={invitation.email === null ? texts.emailWhy : undefined}
          type="email"
          autoComplete="username"
          readOnly={invitation.email !== null}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <NewPasswordFields form={form} label={texts.password} repeatLabel={texts.repeat} />
        <SaveButton fullWidth saving={attempt.isPending}>
          {texts.submit}
        </SaveButton>
      </Stack>
    </form>
  );
}
