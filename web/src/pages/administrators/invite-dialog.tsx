import { Stack, TextInput } from '@mantine/core';
import { isEmail, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { administratorsQuery, inviteAdministrator } from '../../api/administrators.ts';
import type { Role } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { FormProblem, showFieldErrors } from '../../components/form-problem.tsx';
import {
  type FollowSecret,
  SecretInProgress,
  useSecretRequests,
} from '../../components/secret-in-progress.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { administrators as texts } from '../../texts/administrators.ts';
import { useWhileShown } from '../../utilities/use-is-shown.ts';
import { LinkDialog } from './link-dialog.tsx';
import { RoleField } from './role-field.tsx';

const FIELDS = ['email'] as const;

type Invitation = Awaited<ReturnType<typeof inviteAdministrator>>;

/** Invites an administrator, then shows the one-time link. */
export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [invited, setInvited] = useState<Invitation | null>(null);
  const making = useSecretRequests();
  return (
    <>
      <Dialog
        opened={opened}
        onClose={onClose}
        closeOnClickOutside={false}
        // While the link is made, the key belongs to the question about leaving the page.
        closeOnEscape={!making.isAny}
        title={texts.inviteDialog.title}
      >
        <InviteForm follow={making.follow} onInvited={setInvited} onClose={onClose} />
      </Dialog>
      <SecretInProgress when={making.isAny && invited === null} />
      <LinkDialog
        link={invited}
        title={texts.link.invitation}
        email={invited?.email ?? ''}
        onClose={() => setInvited(null)}
      />
    </>
  );
}

function InviteForm({
  follow,
  onInvited,
  onClose,
}: {
  follow: FollowSecret;
  /** Called with the link, even if the dialog was closed in the meantime. */
  onInvited: (invited: Invitation) => void;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'viewer' },
    validate: { email: isEmail(texts.inviteDialog.checkEmail) },
  });
  const close = useWhileShown(onClose);
  const invite = useFormMutation({
    mutationFn: ({ email, role }: typeof form.values) =>
      follow(inviteAdministrator({ email: email.trim(), role })),
    onSuccess: async (invited) => {
      onInvited(invited);
      close();
      await queryClient.invalidateQueries({ queryKey: administratorsQuery.queryKey });
    },
    onError: (error) => showFieldErrors(form, error, FIELDS),
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(
        (values) => invite.mutate(values),
        () => form.getInputNode('email')?.focus(),
      )}
    >
      <Stack gap="md">
        <FormProblem error={invite.error} fields={FIELDS} />
        <TextInput
          label={texts.inviteDialog.email}
          type="email"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <RoleField value={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
        <FormButtons submit={texts.inviteDialog.submit} pending={invite.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
