import { useQuery, useQueryClient } from '@tanstack/react-query';
import { accountContentsQuery, accountsKey, deleteAccount } from '../../api/accounts.ts';
import { registrationListQuery, registrationsKey } from '../../api/registrations.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { accounts } from '../../texts/accounts.ts';
import styles from './accounts.module.css';

const texts = accounts.remove;

/** Deletes an account, after showing what is deleted with it and having its name typed. */
export function DeleteAccountDialog({
  account,
  opened,
  onClose,
  onDeleted,
}: {
  account: { id: number; name: string };
  opened: boolean;
  onClose: () => void;
  onDeleted: () => Promise<void>;
}) {
  const queryClient = useQueryClient();
  const remove = useFormMutation(
    {
      mutationFn: () => deleteAccount(account.id),
      onSuccess: async () => {
        notifyDone(texts.done(account.name));
        await onDeleted();
        await Promise.all([
          queryClient.invalidateQueries({ queryKey: accountsKey }),
          queryClient.invalidateQueries({ queryKey: registrationsKey }),
        ]);
      },
    },
    opened,
  );
  return (
    <ConfirmDialog
      opened={opened}
      title={texts.title(account.name)}
      confirmLabel={texts.confirm}
      typedName={account.name}
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={() => {
        remove.reset();
        onClose();
      }}
    >
      <DeletedData accountId={account.id} />
      <p>{texts.event}</p>
    </ConfirmDialog>
  );
}

function DeletedData({ accountId }: { accountId: number }) {
  const contents = useQuery(accountContentsQuery(accountId, { limit: 1 }));
  const registered = useQuery(registrationListQuery({ account_id: accountId, limit: 1 }));
  if (contents.isError || registered.isError) return texts.uncounted;
  if (contents.data === undefined || registered.data === undefined) return texts.counting;
  const [assets, learners] = [contents.data.total, registered.data.total];
  if (assets === 0 && learners === 0) return texts.nothing;
  return (
    <>
      {texts.goes}
      <ul className={styles.list}>
        {assets > 0 && <li>{texts.contents(assets)}</li>}
        {learners > 0 && (
          <li>{texts.registrations(learners, registered.data.total_is_lower_bound === true)}</li>
        )}
      </ul>
    </>
  );
}
