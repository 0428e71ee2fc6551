import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { isEmail, isNotEmpty, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { isUnauthorized } from '../api/errors.ts';
import { type Session, signIn } from '../api/session.ts';
import { account } from '../texts/sign-in.ts';
import { Callout } from './callout.tsx';
import { FormProblem } from './form-problem.tsx';

/** E-mail and password. With `emailFixed`, the e-mail cannot be changed, because someone signs in again. */
export function SignInForm({
  email = '',
  emailFixed = false,
  onSignedIn,
}: {
  email?: string;
  emailFixed?: boolean;
  onSignedIn: (session: Session) => void;
}) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email, password: '' },
    validate: {
      email: isEmail(account.checks.email),
      password: isNotEmpty(account.checks.required),
    },
  });
  const attempt = useMutation({
    mutationFn: signIn,
    onSuccess: onSignedIn,
    onError: () => {
      form.setFieldValue('password', '');
      form.getInputNode('password')?.focus();
    },
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
        {isUnauthorized(attempt.error) ? (
          <Callout tone="bad" live>
            {account.signIn.wrong}
          </Callout>
        ) : (
          <FormProblem error={attempt.error} />
        )}
        <TextInput
          label={account.signIn.email}
          type="email"
          autoComplete="username"
          readOnly={emailFixed}
          data-autofocus={emailFixed ? undefined : true}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label={account.signIn.password}
          autoComplete="current-password"
          data-autofocus={emailFixed ? true : undefined}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" fullWidth loading={attempt.isPending}>
          {account.signIn.submit}
        </Button>
      </Stack>
    </form>
  );
}
