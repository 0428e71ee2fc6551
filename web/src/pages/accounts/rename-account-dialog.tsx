import { Skeleton } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Account, accountForEditQuery, accountsKey, renameAccount } from '../../api/accounts.ts';
import { isOutdated } from '../../api/errors.ts';
import { type Read, readRecord } from '../../api/request.ts';
import { Callout } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FormProblem, showFieldErrors } from '../../components/form-problem.tsx';
import { nameFault } from '../../components/name-fault.ts';
import { notifyDone } from '../../components/notify.tsx';
import { Unread } from '../../components/unread.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { accounts } from '../../texts/accounts.ts';
import { shared } from '../../texts/shared.ts';
import { useWhileShown } from '../../utilities/use-is-shown.ts';
import { AccountForm } from './account-form.tsx';

const FIELDS = ['name'] as const;
const PLACEHOLDER_HEIGHT = 132;
const texts = accounts.rename;

/** Renames an account. */
export function RenameAccountDialog({
  account,
  opened,
  onClose,
}: {
  account: { id: number; name: string };
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} closeOnClickOutside={false} title={texts.title(account.name)}>
      <RenameLoader id={account.id} onClose={onClose} />
    </Dialog>
  );
}

/** The form starts with the current record, which is not read again while it is edited. */
function RenameLoader({ id, onClose }: { id: number; onClose: () => void }) {
  const read = useQuery(accountForEditQuery(id));
  if (read.data !== undefined) return <RenameForm read={read.data} onClose={onClose} />;
  return <Unread query={read} placeholder={<Skeleton height={PLACEHOLDER_HEIGHT} />} />;
}

function RenameForm({ read, onClose }: { read: Read<Account>; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [basis, setBasis] = useState(read);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: read.record.name },
    validate: { name: (value) => nameFault(value, accounts.checks.name) },
  });
  const close = useWhileShown(onClose);
  const rename = useFormMutation({
    mutationFn: async ({ name }: { name: string }) => {
      try {
        return await renameAccount(basis, name.trim());
      } catch (error) {
        // The next attempt is based on the current record, which is shown first.
        if (isOutdated(error)) setBasis(await readRecord<Account>(`/accounts/${read.record.id}`));
        throw error;
      }
    },
    onSuccess: async ({ name }) => {
      close();
      notifyDone(texts.done(name));
      await queryClient.invalidateQueries({ queryKey: accountsKey });
    },
    onError: (error) => showFieldErrors(form, error, FIELDS),
  });
  return (
    <AccountForm
      form={form}
      problem={
        isOutdated(rename.error) ? (
          <Callout tone="warn" title={texts.conflict(basis.record.name)} live>
            {texts.conflictAdvice}
          </Callout>
        ) : (
          <FormProblem error={rename.error} fields={FIELDS} />
        )
      }
      note={texts.event}
      submit={shared.save}
      pending={rename.isPending}
      onSubmit={(values) => rename.mutate(values)}
      onClose={onClose}
    />
  );
}
