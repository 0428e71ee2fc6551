import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { accountsKey, setAccountEnabled } from '../../api/accounts.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useLeave } from '../../navigation/use-leave.ts';
import { accounts } from '../../texts/accounts.ts';
import { DeleteAccountDialog } from './delete-account-dialog.tsx';
import { RenameAccountDialog } from './rename-account-dialog.tsx';

/** The data of an account that its actions need. */
export interface AccountToChange {
  id: number;
  name: string;
  enabled: boolean;
}

/** An action on an account. Each one asks first. */
type AccountAction = 'rename' | 'activate' | 'deactivate' | 'delete';

/** Opens the dialog of an action on an account. */
export type ActOnAccount = (action: AccountAction, on: AccountToChange) => void;

const NONE: AccountToChange = { id: 0, name: '', enabled: true };

/**
 * The actions on accounts, and their dialogs. They belong to the page, not to the rows: a row may disappear (another
 * page, another order, a rotated phone) while somebody types into its dialog.
 * @param leaveWhenDeleted whether the page is the account's own
 */
export function useAccountActions(leaveWhenDeleted = false): {
  act: ActOnAccount;
  dialogs: ReactNode;
} {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const [open, setOpen] = useState<{ action: AccountAction; id: number } | null>(null);
  /** Kept while its dialog fades out. */
  const [asked, setAsked] = useState<{ action: AccountAction; of: AccountToChange }>({
    action: 'rename',
    of: NONE,
  });
  const account = asked.of;
  const isOpen = (action: AccountAction) => open?.action === action;
  const isSwitching = isOpen('activate') || isOpen('deactivate');
  /** Another dialog, or that of another account, may be open when a response arrives. */
  const close = (action: AccountAction, { id }: AccountToChange) =>
    setOpen((now) => (now?.action === action && now.id === id ? null : now));
  const activation = useFormMutation(
    {
      mutationFn: ({ action, of }: typeof asked) => setAccountEnabled(of.id, action === 'activate'),
      onSuccess: async ({ name, enabled }, { action, of }) => {
        close(action, of);
        notifyDone((enabled ? accounts.activate : accounts.deactivate).done(name));
        await queryClient.invalidateQueries({ queryKey: accountsKey });
      },
    },
    isSwitching,
  );
  const words = asked.action === 'activate' ? accounts.activate : accounts.deactivate;
  return {
    act: (action, of) => {
      activation.reset();
      setAsked({ action, of });
      setOpen({ action, id: of.id });
    },
    dialogs: (
      <>
        <RenameAccountDialog
          key={`rename ${account.id}`}
          account={account}
          opened={isOpen('rename')}
          onClose={() => close('rename', account)}
        />
        <ConfirmDialog
          opened={isSwitching}
          title={words.title(account.name)}
          confirmLabel={words.confirm}
          harmless
          pending={activation.isPending}
          error={activation.error}
          onConfirm={() => activation.mutate(asked)}
          onClose={() => close(asked.action, account)}
        >
          {words.description} {accounts.activationEvent}
        </ConfirmDialog>
        <DeleteAccountDialog
          key={`delete ${account.id}`}
          account={account}
          opened={isOpen('delete')}
          onClose={() => close('delete', account)}
          onDeleted={async () => {
            close('delete', account);
            if (leaveWhenDeleted) await leave({ to: '/accounts' });
          }}
        />
      </>
    ),
  };
}
