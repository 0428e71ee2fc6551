import { PasswordInput } from '@mantine/core';
import { account } from '../texts/sign-in.ts';

/** A new password, entered twice: the fields `password` and `repeat` of an uncontrolled form. */
export function NewPasswordFields({
  form,
  label,
  repeatLabel,
}: {
  form: { key: (field: string) => string; getInputProps: (field: string) => object };
  label: string;
  repeatLabel: string;
}) {
  return (
    <>
      <PasswordInput
        label={label}
        description={account.passwordRule}
        autoComplete="new-password"
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
      <PasswordInput
        label={repeatLabel}
        autoComplete="new-password"
        key={form.key('repeat')}
        {...form.getInputProps('repeat')}
      />
    </>
  );
}
